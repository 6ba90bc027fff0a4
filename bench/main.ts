import type { Figure } from './figure.ts';
import { measureAccess } from './figures/access.ts';
import { measureCache } from './figures/cache.ts';
import { measureConnect } from './figures/connect.ts';
import { measureDatabase } from './figures/database.ts';
import { measureEvents } from './figures/events.ts';
import { measureGateway } from './figures/gateway.ts';
import { measureGraph } from './figures/graph.ts';
import { measureIdentity } from './figures/identity.ts';
import { measureIndexBuild } from './figures/index-build.ts';
import { measureLists } from './figures/lists.ts';
import { measureMail } from './figures/mail.ts';
import { measureFairness } from './figures/mail-fairness.ts';
import { measureNeighbours } from './figures/neighbours.ts';
import { measureQuota } from './figures/quota.ts';
import { measureRevocation } from './figures/revocation.ts';
import { measureSize } from './figures/size.ts';
import { measureStart } from './figures/start.ts';
import { measureStorage } from './figures/storage.ts';
import { measureStories } from './figures/stories.ts';
import { measureStreams } from './figures/streams.ts';
import { measureWidgetSizes } from './figures/widget-size.ts';
import { describeMachine, stolenFromNow } from './machine.ts';
import { type FigureName, figureNames, type Options, readOptions } from './options.ts';
import { writePerformancePage } from './performance-page.ts';
import { printReport, writeResults } from './report.ts';

const measurements: Record<FigureName, (options: Options) => Promise<Figure[]>> = {
  gateway: measureGateway,
  identity: measureIdentity,
  access: measureAccess,
  cache: measureCache,
  graph: measureGraph,
  events: measureEvents,
  stories: measureStories,
  size: measureSize,
  lists: measureLists,
  quota: measureQuota,
  revocation: measureRevocation,
  streams: measureStreams,
  connect: async (options) => [...measureWidgetSizes(), ...(await measureConnect(options))],
  storage: measureStorage,
  mail: async (options) => [...(await measureMail(options)), await measureFairness(options)],
  neighbours: measureNeighbours,
  database: measureDatabase,
  indexes: measureIndexBuild,
  start: measureStart,
};

/** A missed bar is a result, and exits with 0; a figure that could not be measured exits with 1. */
async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (!options) return;
  const described = describeMachine();
  const stolen = stolenFromNow();
  const figures: Figure[] = [];
  for (const name of figureNames) {
    if (options.only.includes(name)) figures.push(...(await measurements[name](options)));
  }
  const machine = { ...described, stolen: stolen() };
  printReport(machine, figures);
  writeResults(machine, figures);
  if (options.write) writePerformancePage(machine, figures);
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
