/** A running call may have read before the caller's moment: `next` starts after it. */
type Flight = { running: Promise<void>; next: Promise<void> | null };

/**
 * Refreshes a key by `run`, one run of a key at a time. The returned promise resolves after a run that began after the
 * call. Any number of concurrent calls share two runs.
 */
export function singleFlight(run: (key: string) => Promise<void>): (key: string) => Promise<void> {
  const flights = new Map<string, Flight>();

  function begin(key: string): Promise<void> {
    const running = run(key);
    const flight: Flight = { running, next: null };
    flights.set(key, flight);
    const forget = () => {
      if (flights.get(key) === flight && !flight.next) flights.delete(key);
    };
    running.then(forget, forget);
    return running;
  }

  return (key) => {
    const flight = flights.get(key);
    if (!flight) return begin(key);
    const beginNext = () => begin(key);
    flight.next ??= flight.running.then(beginNext, beginNext);
    return flight.next;
  };
}
