/**
 * How many cases a property is tried with: few by default, so that `npm test` stays quick, and many with TEST_LONG set,
 * as `npm run test:long` does.
 */
export function propertyCases(usual: number, long: number): number {
  return process.env.TEST_LONG === 'yes' ? long : usual;
}

/** Milliseconds that a property over HTTP or a database may take. */
export const propertyTimeout = propertyCases(120_000, 7_200_000);
