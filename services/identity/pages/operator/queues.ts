import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { type Refusal, refusalOf } from '../../../../web/attempt.ts';
import { renderConfirmedForm } from '../../../../web/confirm.ts';
import { flowField } from '../../../../web/flow.ts';
import { type Html, html } from '../../../../web/html.ts';
import {
  type OperatorVisit,
  operatedPath,
  operatorPage,
  operatorPath,
  renderOperatorPage,
} from '../../../../web/operator-page.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pickFields } from '../../../../web/pick.ts';
import { renderTabs } from '../../../../web/states.ts';
import { renderEmpty, renderName, renderTable } from '../../../../web/table.ts';
import { renderWhen, renderWhenWithin } from '../../../../web/time.ts';
import { flashMessage, openUserFlow, rejectStaleForm } from '../../../../web/user-page.ts';
import { texts } from '../texts.ts';

/** The kind of the tokens of the forms of the queues. */
const formKind = 'dead letters';
const pageSize = '50';

type DeadLetters = CallOutput<'mail.operator.dead-letters.list'>;
type DeadLetter = DeadLetters['data'][number];
const queues = ['mail', 'notification'] as const;
type Queue = (typeof queues)[number];

/** The dead letters of mail and notifications. */
export const operatorQueuesPages = {
  'pages.operator.queues': operatorPage('queues', {
    rest: 'GET',
    summary: 'Show the dead letters of mail and notifications',
    handler: (visit) => renderQueue(visit, queueOf(visit.query.queue)),
  }),
  'pages.operator.queues.redrive': operatorPage('queues', {
    rest: 'POST',
    summary: 'Queue dead letters again',
    handler: redrive,
  }),
};

function queueOf(name: unknown): Queue {
  return queues.find((queue) => queue === name) ?? 'mail';
}

function pathOf(queue: Queue, query: Record<string, string> = {}): string {
  return operatorPath('queues', [], { queue: queue === 'mail' ? '' : queue, ...query });
}

async function redrive(visit: OperatorVisit): Promise<PageAnswer> {
  const { queue: name, what } = pickFields(visit.form, 'queue', 'what');
  const queue = queueOf(name);
  const refusal =
    rejectStaleForm(visit, formKind) ??
    (await refusalOf([], () => call(visit.ctx, `${queue}.operator.dead-letters.redrive`, { body: { what } })));
  if (refusal) return renderQueue(visit, queue, refusal);
  return redirectTo(pathOf(queue, { done: 'redriven' }));
}

async function renderQueue(visit: OperatorVisit, queue: Queue, refusal?: Refusal): Promise<PageAnswer> {
  const { cursor } = visit.query;
  const query = { limit: pageSize, ...(typeof cursor === 'string' && { cursor }) };
  const list = await call(visit.ctx, `${queue}.operator.dead-letters.list`, { query });
  const t = texts().operatorConsole.queues;
  const flow = openUserFlow(visit, formKind);
  return renderOperatorPage(visit, {
    title: t.title,
    lead: t.lead,
    acts: list.data.length > 0 && renderAll(queue, flow),
    notice: flashMessage(visit, { redriven: t.done }),
    refusal,
    body: html`${renderTabs(
      t.tabs,
      queues.map((key) => [key, pathOf(key), t.names[key]] as const),
      queue,
    )}
${renderList(queue, list, flow, typeof cursor === 'string')}`,
  });
}

function renderAll(queue: Queue, flow: string): Html {
  const { all } = texts().operatorConsole.queues;
  return renderConfirmedForm({
    id: 'redrive-all',
    action: operatorPath('queues'),
    flow,
    fields: renderWhat(queue, 'all'),
    isMild: true,
    ...all,
  });
}

function renderWhat(queue: Queue, what: string): Html {
  return html`<input type="hidden" name="queue" value="${queue}"><input type="hidden" name="what" value="${what}">`;
}

function renderList(queue: Queue, { data, nextCursor }: DeadLetters, flow: string, isContinued: boolean): Html {
  const t = texts().operatorConsole.queues;
  const { columns } = t;
  return renderTable<DeadLetter>({
    label: t.label(t.names[queue]),
    height: 'tall',
    columns: [
      { heading: columns.message, cell: renderLetter },
      {
        heading: columns.organization,
        cell: ({ orgId }) =>
          html`<a class="link over" href="${operatedPath({ id: orgId }, 'overview')}"><code class="id">${orgId}</code></a>`,
        isMinor: true,
      },
      { heading: columns.attempts, cell: ({ attempts }) => String(attempts), isNumber: true, isMinor: true },
      { heading: columns.failed, cell: ({ failedAt }) => renderWhen(failedAt), isNumber: true },
      { heading: t.redrive, cell: ({ id }) => renderOne(queue, id, flow), isState: true },
    ],
    rows: data,
    empty: renderEmpty({ icon: 'queue', ...t.none }),
    pager: {
      next: nextCursor && pathOf(queue, { cursor: nextCursor }),
      nextWords: t.next,
      first: isContinued ? pathOf(queue) : null,
    },
  });
}

function renderLetter({ id, failure, error, failedAt }: DeadLetter): Html {
  const t = texts().operatorConsole.queues;
  const cause = error ?? failure ?? t.failures;
  return renderName({
    name: html`<code>${id}</code>`,
    detail: cause,
    summary: t.summary(cause, renderWhenWithin(failedAt)),
  });
}

function renderOne(queue: Queue, id: string, flow: string): Html {
  return html`<form method="post" action="${operatorPath('queues')}">${flowField(flow)}${renderWhat(queue, id)}
<button class="btn sm">${texts().operatorConsole.queues.redrive}</button></form>`;
}
