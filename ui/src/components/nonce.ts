// The page's style nonce, which the shell writes into index.html; libraries that add <style> elements need it.
export const styleNonce: string | undefined =
  typeof document === "undefined" ? undefined : document.querySelector<HTMLElement>("#first-paint")?.nonce || undefined;
