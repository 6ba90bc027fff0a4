/** One line for the person who runs the program. */
export function print(line = ''): void {
  process.stdout.write(`${line}\n`);
}
