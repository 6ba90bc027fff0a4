/** Why a case differs on an implementation, and what that answers; without an answer the case is not run there. */
export type Difference = { reason: string; answers?: unknown };

/** By `group: sentence` of a case. */
export type Differences = Record<string, Difference>;

/** Differences of one reason: answers by group and sentence. */
export function explained(reason: string, groups: Record<string, Record<string, unknown>>): Differences {
  const entries = Object.entries(groups).flatMap(([group, cases]) =>
    Object.entries(cases).map(([says, answers]): [string, Difference] => [`${group}: ${says}`, { reason, answers }]),
  );
  return Object.fromEntries(entries);
}

/** Differences of one reason and one answer: sentences by group. */
export function alike(reason: string, answers: unknown, groups: Record<string, string[]>): Differences {
  return Object.fromEntries(idsOf(groups).map((id) => [id, { reason, answers }]));
}

/** Cases that are not run, because what they would show changes from run to run, or is of no use to the platform. */
export function notRun(reason: string, groups: Record<string, string[]>): Differences {
  return Object.fromEntries(idsOf(groups).map((id) => [id, { reason }]));
}

function idsOf(groups: Record<string, string[]>): string[] {
  return Object.entries(groups).flatMap(([group, sentences]) => sentences.map((says) => `${group}: ${says}`));
}
