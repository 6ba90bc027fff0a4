const today = (): string => new Date().toISOString().slice(0, 10);

/** Checks what is counted by days, which end at midnight of UTC: what a midnight came into is checked once more. */
export async function withinOneDay<T>(check: () => Promise<T>): Promise<T> {
  const day = today();
  try {
    return await check();
  } catch (error) {
    if (today() === day) throw error;
    return await check();
  }
}
