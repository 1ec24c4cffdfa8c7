//! The kinds of provider: what each is called and where it stands by default. It must not send anything.

/// How a provider is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// OpenAI's chat completions.
    Openai,
    OpenaiResponses,
    Anthropic,
    Gemini,
    Ollama,
    Openrouter,
    LmStudio,
    LlamaCpp,
    Vllm,
    /// Whatever else speaks chat completions.
    OpenaiCompatible,
}

impl Kind {
    pub const ALL: [Self; 10] = [
        Self::Openai,
        Self::OpenaiResponses,
        Self::Anthropic,
        Self::Gemini,
        Self::Ollama,
        Self::Openrouter,
        Self::LmStudio,
        Self::LlamaCpp,
        Self::Vllm,
        Self::OpenaiCompatible,
    ];

    /// The word in the settings.
    pub fn word(self) -> &'static str {
        match self {
            Self::Openai => "openai",
            Self::OpenaiResponses => "openai_responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
            Self::Openrouter => "openrouter",
            Self::LmStudio => "lm_studio",
            Self::LlamaCpp => "llama_cpp",
            Self::Vllm => "vllm",
            Self::OpenaiCompatible => "openai_compatible",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// All words, for a message.
    pub fn words() -> String {
        Self::ALL.map(Self::word).join(", ")
    }

    /// What people call it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Openai | Self::OpenaiResponses => "OpenAI",
            Self::Anthropic => "Anthropic",
            Self::Gemini => "Gemini",
            Self::Ollama => "Ollama",
            Self::Openrouter => "OpenRouter",
            Self::LmStudio => "LM Studio",
            Self::LlamaCpp => "llama.cpp",
            Self::Vllm => "vLLM",
            Self::OpenaiCompatible => "OpenAI-compatible",
        }
    }

    /// The port at which a server of this kind listens on one's own machine.
    pub fn port(self) -> Option<u16> {
        match self {
            Self::Ollama => Some(11434),
            Self::LmStudio => Some(1234),
            Self::LlamaCpp => Some(8080),
            Self::Vllm => Some(8000),
            Self::Openai
            | Self::OpenaiResponses
            | Self::Anthropic
            | Self::Gemini
            | Self::Openrouter
            | Self::OpenaiCompatible => None,
        }
    }

    /// What stands between a local server's address and the paths of its wire.
    pub fn local_path(self) -> &'static str {
        match self {
            Self::Ollama => "",
            Self::Openai
            | Self::OpenaiResponses
            | Self::Anthropic
            | Self::Gemini
            | Self::Openrouter
            | Self::LmStudio
            | Self::LlamaCpp
            | Self::Vllm
            | Self::OpenaiCompatible => "/v1",
        }
    }

    /// Whether nothing can be asked of it without a key.
    pub fn needs_key(self) -> bool {
        matches!(
            self,
            Self::Openai | Self::OpenaiResponses | Self::Anthropic | Self::Gemini | Self::Openrouter
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_by_its_word() {
        for kind in Kind::ALL {
            assert_eq!(Kind::parse(kind.word()), Some(kind));
        }
        assert_eq!(Kind::parse("OpenAI"), None);
    }
}
