import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { renderStats, type Stat } from '../../../../web/chart.ts';
import { userPage } from '../../../../web/define-page.ts';
import { type Content, type Html, html } from '../../../../web/html.ts';
import { type IconName, renderIcon } from '../../../../web/icons.ts';
import { formatCount } from '../../../../web/numbers.ts';
import {
  type OperatorVisit,
  operatedPath,
  operatorPage,
  operatorPath,
  renderOperatorPage,
  requireOperator,
} from '../../../../web/operator-page.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { renderEmpty } from '../../../../web/table.ts';
import { ifAvailable } from '../../operators/organizations.ts';
import { texts } from '../texts.ts';

/** The start page of operators: the size of the platform, and what needs someone. */
export const operatorOverviewPages = {
  'pages.operator.index': userPage({
    rest: 'GET /operator',
    summary: 'Go to the console of operators',
    handler: (visit) => {
      requireOperator(visit);
      return redirectTo(operatorPath('overview'));
    },
  }),
  'pages.operator.overview': operatorPage('overview', {
    rest: 'GET',
    summary: 'Show operators what needs someone',
    handler: renderOverview,
  }),
};

/** Maximum number of dead letters that are counted, and of organizations that are named. */
const countedLetters = 100;
const namedOrganizations = 5;

async function renderOverview(visit: OperatorVisit): Promise<PageAnswer> {
  const { ctx } = visit;
  const [figures, nodes, jobs, needs] = await Promise.all([
    call(ctx, 'identity.operator.figures', {}),
    call(ctx, 'identity.operator.nodes.list', {}),
    call(ctx, 'identity.operator.jobs.list', {}),
    Promise.all([findLetters(visit, 'mail'), findLetters(visit, 'notification'), findPastDue(visit)]),
  ]);
  const t = texts().operatorConsole.overview;
  const open = [...findFailures(nodes.data, jobs.data), ...needs.flat()];
  return renderOperatorPage(visit, {
    title: t.title,
    lead: t.lead,
    body: html`${renderStats(statsOf(figures, nodes.data, jobs.data))}
<section class="sec first" aria-labelledby="h-needs"><div class="sec-head"><h2 id="h-needs">${t.needs}</h2></div>
${open.length === 0 ? renderEmpty({ icon: 'check', ...t.none }) : html`<ul class="list">${open.map(renderNeed)}</ul>`}</section>`,
  });
}

type Nodes = CallOutput<'identity.operator.nodes.list'>['data'];
type Jobs = CallOutput<'identity.operator.jobs.list'>['data'];

const isReady = ({ isAnswering, missing }: Nodes[number]): boolean => isAnswering && missing.length === 0;
const hasFailed = ({ lastError }: Jobs[number]): boolean => lastError !== null;

function statsOf({ organizations, users }: CallOutput<'identity.operator.figures'>, nodes: Nodes, jobs: Jobs): Stat[] {
  const t = texts().operatorConsole;
  const { recent, ready, failing } = t.overview;
  return [
    {
      label: t.organizations.title,
      value: formatCount(organizations.all),
      note: recent(formatCount(organizations.recent)),
      href: operatorPath('organizations'),
    },
    {
      label: t.users.title,
      value: formatCount(users.all),
      note: recent(formatCount(users.recent)),
      href: operatorPath('users'),
    },
    {
      label: t.nodes.title,
      value: formatCount(nodes.length),
      note: ready(nodes.filter(isReady).length),
      href: operatorPath('nodes'),
    },
    {
      label: t.jobs.title,
      value: formatCount(jobs.length),
      note: failing(jobs.filter(hasFailed).length),
      href: operatorPath('jobs'),
    },
  ];
}

/** Something that an operator has to look at, and where. */
type Need = { icon: IconName; words: Content; detail: Content; href: string };

function findFailures(nodes: Nodes, jobs: Jobs): Need[] {
  const t = texts().operatorConsole.overview;
  const waiting = nodes.filter((node) => !isReady(node)).map(({ node }) => node);
  const failed = jobs.filter(hasFailed).map(({ name }) => name);
  return [
    ...(waiting.length > 0
      ? [
          {
            icon: 'node',
            words: t.notReady(waiting.length),
            detail: waiting.join(', '),
            href: operatorPath('nodes'),
          } as const,
        ]
      : []),
    ...(failed.length > 0
      ? [
          {
            icon: 'clock',
            words: t.failedJobs(failed.length),
            detail: failed.join(', '),
            href: operatorPath('jobs'),
          } as const,
        ]
      : []),
  ];
}

/** The dead letters of a queue; none of a service that cannot answer, whose node is named as not ready. */
async function findLetters({ ctx }: OperatorVisit, queue: 'mail' | 'notification'): Promise<Need[]> {
  const query = { limit: String(countedLetters) };
  const list = await ifAvailable(call(ctx, `${queue}.operator.dead-letters.list`, { query }));
  if (!list || list.data.length === 0) return [];
  const t = texts().operatorConsole;
  const count = list.nextCursor === null ? formatCount(list.data.length) : `${countedLetters}+`;
  const href = operatorPath('queues', [], { queue: queue === 'mail' ? '' : queue });
  return [{ icon: 'queue', words: t.overview.letters(count), detail: t.queues.names[queue], href }];
}

/** The first organizations whose last payment failed. */
async function findPastDue({ ctx }: OperatorVisit): Promise<Need[]> {
  const found = await ifAvailable(call(ctx, 'billing.subscriptions.past-due', { body: { limit: namedOrganizations } }));
  const described = (found?.orgIds ?? []).map(async (orgId): Promise<Need[]> => {
    const { organization } = await call(ctx, 'identity.organizations.describe', { body: { orgId } });
    if (!organization) return [];
    const { name, slug } = organization;
    const { pastDue } = texts().operatorConsole.overview;
    return [
      {
        icon: 'card',
        words: html`<bdi>${name}</bdi>`,
        detail: pastDue(slug),
        href: operatedPath({ id: orgId }, 'plan'),
      },
    ];
  });
  return (await Promise.all(described)).flat();
}

function renderNeed({ icon, words, detail, href }: Need): Html {
  return html`<li><span class="pip warn">${renderIcon(icon, 'sm')}</span><span class="grow"><a class="link" href="${href}">${words}</a><span class="quiet sub-line">${detail}</span></span></li>
`;
}
