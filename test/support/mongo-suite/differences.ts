/** Why a case differs on another implementation, and what that implementation answers. */
export type Difference = { reason: string; answers: unknown };

/** By `group: sentence` of a case. */
export type Differences = Record<string, Difference>;

export const embeddedDifferences: Differences = {};

export const ferretDifferences: Differences = {};
