/** Does work for each place below the count, `inFlight` at a time: more would wait for one another, and be too late. */
export async function eachOf<T>(count: number, work: (place: number) => Promise<T>, inFlight = 5): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const place = next++;
      results[place] = await work(place);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return results;
}
