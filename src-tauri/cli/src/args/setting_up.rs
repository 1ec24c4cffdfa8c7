//! What can be typed about models, secrets and servers; nothing of what it does.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::pair;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Models {
    /// Ask models what they can do, some hundred tokens each: this one, or those that do work here.
    #[arg(long, value_name = "PROVIDER/MODEL", num_args = 0..=1, default_missing_value = "")]
    pub probe: Option<String>,
    #[command(subcommand)]
    pub verb: Option<ModelsVerb>,
}

#[derive(Subcommand)]
pub enum SecretVerb {
    /// Keep a value under this name; it is read from the terminal without echo, or from stdin, never from here.
    Set { name: String },
    /// List the names, never the values.
    List,
    /// Take it out of the keychain.
    Remove { name: String },
}

#[derive(Subcommand)]
pub enum ModelsVerb {
    /// Keep a provider's key in this system's keychain; it is read from the terminal without echo, or from stdin.
    Key {
        provider: String,
        /// Take the key out of the keychain.
        #[arg(long)]
        forget: bool,
    },
}

#[derive(Args)]
pub struct Servers {
    #[command(subcommand)]
    pub verb: Option<ServersVerb>,
}

#[derive(Subcommand)]
pub enum ServersVerb {
    /// Set a server up by its command line (behind `--`) or its address. Nothing is started yet.
    Add(AddServer),
    /// Take over the servers of another program's file (`mcpServers` or `servers`). Nothing is started yet.
    Import {
        file: PathBuf,
        /// Replace servers of the same name.
        #[arg(long)]
        force: bool,
    },
    /// Take a server out of the settings.
    Remove { name: String },
    /// Start a server, list its tools and keep what they are: plans are checked and approved against that.
    Check {
        name: String,
        /// Start it without asking, also for the first time.
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Args)]
pub struct AddServer {
    pub name: String,
    /// The address of a server that is reached over HTTP.
    #[arg(long, conflicts_with = "command")]
    pub url: Option<String>,
    /// A variable that the server gets: a text, with `${NAME}` for a secret. May be repeated.
    #[arg(long = "env", value_name = "NAME=VALUE", value_parser = pair)]
    pub env: Vec<(String, String)>,
    /// A header that is sent to the address, with `${NAME}` for a secret. May be repeated.
    #[arg(long = "header", value_name = "NAME=VALUE", value_parser = pair)]
    pub headers: Vec<(String, String)>,
    /// A folder that the server may read and write. May be repeated.
    #[arg(long = "folder", value_name = "FOLDER")]
    pub folders: Vec<PathBuf>,
    /// Let it use the network.
    #[arg(long)]
    pub network: bool,
    /// Let it run with all your rights, without a sandbox.
    #[arg(long)]
    pub unconfined: bool,
    /// Replace a server of the same name.
    #[arg(long)]
    pub force: bool,
    /// The program and its arguments.
    #[arg(last = true, required_unless_present = "url")]
    pub command: Vec<String>,
}
