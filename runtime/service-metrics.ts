import { type MetricObject, register } from 'prom-client';

type Registered = ReturnType<typeof register.getSingleMetric>;
type Metrics = Map<string, NonNullable<Registered>>;

/** The service whose load first registered a metric, by the metric's name. */
const owners = new Map<string, string>();

/**
 * Loads the code of a service, and returns the result with a function that restores the service's previous metrics. Its
 * metrics are registered again, so that their counters start at zero as after a restart. Metrics of shared code, which
 * the load does not define again, are kept.
 */
export async function loadWithMetrics<T>(service: string, load: () => Promise<T>): Promise<[T, () => void]> {
  const before = allMetrics();
  for (const name of before.keys()) if (owners.get(name) === service) register.removeSingleMetric(name);
  const restore = () => {
    for (const name of allMetrics().keys()) if (owners.get(name) === service) register.removeSingleMetric(name);
    addMissing(before);
  };
  try {
    const result = await load();
    for (const name of allMetrics().keys()) if (!owners.has(name) && !before.has(name)) owners.set(name, service);
    addMissing(before);
    return [result, restore];
  } catch (error) {
    for (const [name, metric] of allMetrics()) if (before.get(name) !== metric) register.removeSingleMetric(name);
    addMissing(before);
    throw error;
  }
}

function allMetrics(): Metrics {
  const named = register.getMetricsAsArray() as unknown as MetricObject[];
  return new Map(named.flatMap(({ name }) => entryOf(name)));
}

function entryOf(name: string): [string, NonNullable<Registered>][] {
  const metric = register.getSingleMetric(name);
  return metric ? [[name, metric]] : [];
}

function addMissing(metrics: Metrics): void {
  for (const [name, metric] of metrics) if (!register.getSingleMetric(name)) register.registerMetric(metric);
}
