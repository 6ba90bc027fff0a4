/** Prints one line for the user. */
export function print(line = ''): void {
  process.stdout.write(`${line}\n`);
}
