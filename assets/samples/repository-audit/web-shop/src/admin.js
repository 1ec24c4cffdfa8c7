export const password = "example-not-a-real-one";

export function run(text) {
  return eval(text);
}
