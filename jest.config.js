/** One project a suite. TypeScript is stripped, not compiled: the tests run what the platform runs. */
const project = (name, extra = {}) => ({
  displayName: name,
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
  transform: { '\\.ts$': '<rootDir>/test/support/strip-types.js' },
  extensionsToTreatAsEsm: ['.ts'],
  ...extra,
});

export default {
  projects: ['unit', 'integration', 'cluster', 'acceptance', 'pool', 'deno', 'browser'].map((name) => project(name)),
};
