/** An email address in the one form in which it is stored and compared: trimmed, Unicode NFC, lower case. */
export function normalizeEmail(address: string): string {
  return address.trim().normalize('NFC').toLowerCase();
}
