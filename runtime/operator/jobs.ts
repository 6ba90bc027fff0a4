import type { ServiceBroker } from 'moleculer';
import type { JobState } from '../../mixins/cron/cron.ts';
import { toTable } from './table.ts';

const answersWithin = 5000;

type Answer = { nodeID: string; jobs: JobState[]; error: string | null };

const head = ['NAME', 'LAST DONE', 'NEXT', 'RUNNING ON', 'ATTEMPTS', 'LAST ERROR'];

/** The scheduled work of all services in the pool: a table, and a line for each node that did not answer. */
export async function describeJobsOfPool(broker: ServiceBroker): Promise<{ text: string; data: JobState[] }> {
  const answers = await queryNodes(broker);
  // Nodes that run the same service report the same state from the database.
  const jobs = new Map(answers.flatMap((answer) => answer.jobs.map((job) => [job.name, job])));
  const data = [...jobs.values()].sort((one, other) => one.name.localeCompare(other.name));
  const rows = data.map(toRow);
  const silent = answers.flatMap(({ nodeID, error }) => (error === null ? [] : [`${nodeID}: ${error}`]));
  const table = rows.length === 0 ? ['No node has scheduled work.'] : toTable(head, rows);
  return { text: [...table, ...silent].join('\n'), data };
}

/**
 * Runs scheduled work once now, on this node if it has the schedule, otherwise on another; throws when no node has it.
 */
export async function runJobInPool(broker: ServiceBroker, name: string): Promise<string> {
  const having = (await queryNodes(broker)).filter(({ jobs }) => jobs.some((job) => job.name === name));
  const { nodeID } = having.find((answer) => answer.nodeID === broker.nodeID) ?? having[0] ?? {};
  if (nodeID === undefined) throw new Error(`No node has scheduled work ${name}; jobs lists what there is.`);
  return await broker.call<string, object>('node.run-job', { name }, { nodeID, timeout: 0 });
}

async function queryNodes(broker: ServiceBroker): Promise<Answer[]> {
  const nodes = broker.registry.nodes.list({ onlyAvailable: true }) as { id: string }[];
  const answers = nodes.map(({ id: nodeID }) =>
    broker.call<JobState[], object>('node.jobs', {}, { nodeID, timeout: answersWithin }).then(
      (jobs): Answer => ({ nodeID, jobs, error: null }),
      (error: Error): Answer => ({ nodeID, jobs: [], error: error.message }),
    ),
  );
  return await Promise.all(answers);
}

function toRow({ name, doneUpTo, doneAt, next, runningOn, attempts, lastError }: JobState): string[] {
  return [
    name,
    doneUpTo === null ? 'never' : `${doneUpTo} at ${doneAt}`,
    next ?? 'now',
    runningOn ?? '',
    String(attempts),
    // Truncated to one line of the table. The log has the full text.
    lastError?.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').slice(0, 120) ?? '',
  ];
}
