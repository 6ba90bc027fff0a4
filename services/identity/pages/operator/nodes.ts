import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { type Html, html } from '../../../../web/html.ts';
import { formatCount } from '../../../../web/numbers.ts';
import { type OperatorVisit, operatorPage, renderOperatorPage } from '../../../../web/operator-page.ts';
import type { PageAnswer } from '../../../../web/page.ts';
import { renderState } from '../../../../web/states.ts';
import { renderName, renderTable } from '../../../../web/table.ts';
import { texts } from '../texts.ts';

type PlatformNode = CallOutput<'identity.operator.nodes.list'>['data'][number];

const secondsOf = { day: 86_400, hour: 3600, minute: 60 };

/** The nodes of the platform, and the versions of its services. */
export const operatorNodesPages = {
  'pages.operator.nodes': operatorPage('nodes', {
    rest: 'GET',
    summary: 'Show the nodes of the platform and their services',
    handler: renderNodes,
  }),
};

async function renderNodes(visit: OperatorVisit): Promise<PageAnswer> {
  const { data } = await call(visit.ctx, 'identity.operator.nodes.list', {});
  const t = texts().operatorConsole.nodes;
  const { columns } = t;
  return renderOperatorPage(visit, {
    title: t.title,
    lead: t.lead,
    body: html`${renderTable<PlatformNode>({
      label: t.label,
      height: 'tall',
      columns: [
        { heading: columns.node, cell: renderNodeName },
        { heading: columns.state, cell: renderNodeState, isState: true },
        { heading: columns.runtime, cell: ({ runtime }) => runtime ?? t.unknown, isMinor: true },
        { heading: columns.memory, cell: ({ residentMiB }) => memoryOf(residentMiB), isNumber: true },
        { heading: columns.uptime, cell: ({ uptimeSeconds }) => uptimeOf(uptimeSeconds), isNumber: true },
      ],
      rows: data,
      empty: t.none,
    })}
<section class="sec" aria-labelledby="h-versions"><div class="sec-head"><h2 id="h-versions">${t.versions}</h2></div>
${renderVersions(data)}</section>`,
  });
}

function renderNodeName({ node, services }: PlatformNode): Html {
  const names = services.map(({ name }) => name).join(', ');
  return renderName({
    name: html`<bdi>${node}</bdi>`,
    detail: names,
    summary: texts().operatorConsole.nodes.services(services.length),
  });
}

function renderNodeState({ isAnswering, missing }: PlatformNode): Html {
  const t = texts().operatorConsole.nodes;
  if (!isAnswering) return renderState(t.silent, 'bad');
  return missing.length === 0 ? renderState(t.ready, 'good') : renderState(t.missing(missing.join(', ')), 'warn');
}

function memoryOf(mebibytes: number | null): string {
  const t = texts().operatorConsole.nodes;
  return mebibytes === null ? t.unknown : t.memory(formatCount(mebibytes));
}

function uptimeOf(seconds: number | null): string {
  const { uptime, unknown } = texts().operatorConsole.nodes;
  if (seconds === null) return unknown;
  if (seconds >= secondsOf.day) return uptime.days(Math.floor(seconds / secondsOf.day));
  if (seconds >= secondsOf.hour) return uptime.hours(Math.floor(seconds / secondsOf.hour));
  return uptime.minutes(Math.floor(seconds / secondsOf.minute));
}

type Versions = { name: string; nodes: Map<string, string[]> };

/** The versions of each service, with the nodes that run them: nodes with different code are marked. */
function renderVersions(nodes: readonly PlatformNode[]): Html {
  const t = texts().operatorConsole.nodes;
  return renderTable<Versions>({
    label: t.versionsLabel,
    height: 'compact',
    columns: [
      {
        heading: t.versionColumns.service,
        cell: ({ name, nodes: of }) => renderName({ name, summary: renderVersionList(of) }),
      },
      {
        heading: t.versionColumns.state,
        cell: ({ nodes: of }) => (of.size > 1 ? renderState(t.different, 'warn') : renderState(t.same, 'good')),
        isState: true,
      },
      { heading: t.versionColumns.versions, cell: ({ nodes: of }) => renderVersionList(of) },
    ],
    rows: versionsOf(nodes),
    empty: t.none,
  });
}

function versionsOf(nodes: readonly PlatformNode[]): Versions[] {
  const byName = new Map<string, Map<string, string[]>>();
  for (const { node, services } of nodes) {
    for (const { name, version } of services) {
      const versions = byName.get(name) ?? new Map<string, string[]>();
      const key = version ?? texts().operatorConsole.nodes.unknown;
      byName.set(name, versions.set(key, [...(versions.get(key) ?? []), node]));
    }
  }
  return [...byName]
    .map(([name, of]) => ({ name, nodes: of }))
    .sort((one, other) => one.name.localeCompare(other.name));
}

function renderVersionList(versions: ReadonlyMap<string, string[]>): Html {
  const { version: words } = texts().operatorConsole.nodes;
  return html`${[...versions].map(([version, nodes]) => html`<span>${words(version, nodes.join(', '))}</span> `)}`;
}
