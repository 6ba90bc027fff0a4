export const mebibyte = 1024 * 1024;
/** The bytes of a gigabyte, the unit of the limits of plans. */
export const gigabyte = 1_000_000_000;

const decimalUnits = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;
export type DecimalUnit = (typeof decimalUnits)[number];

/** A size in the decimal unit in which it has at most three digits before the point: 1,800,000 is 1.8 MB. */
export function inDecimalUnits(bytes: number): { amount: number; unit: DecimalUnit } {
  // A size that rounds to 1000 of a unit is one of the next.
  const power = decimalUnits.findIndex((_unit, index) => bytes / 1000 ** index < 999.5);
  const last = decimalUnits.length - 1;
  const index = power === -1 ? last : power;
  return { amount: bytes / 1000 ** index, unit: decimalUnits[index] ?? 'bytes' };
}
