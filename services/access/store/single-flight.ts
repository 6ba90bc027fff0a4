/** A run that began may have read before the caller's moment: `next` begins after it. */
type Flight = { running: Promise<void>; next: Promise<void> | null };

/**
 * Runs work that makes a key fresh, one run of a key at a time. What is returned resolves when a run has ended that
 * began after the call, so that however many ask at once, two runs serve them all.
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
