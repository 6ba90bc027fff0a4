import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { type Refusal, refusalOf } from '../../../../web/attempt.ts';
import { renderFacts } from '../../../../web/facts.ts';
import { flowField } from '../../../../web/flow.ts';
import { type Content, type Html, html } from '../../../../web/html.ts';
import { type OperatorVisit, operatorPage, operatorPath, renderOperatorPage } from '../../../../web/operator-page.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pickFields } from '../../../../web/pick.ts';
import { renderBanner, renderState } from '../../../../web/states.ts';
import { renderName, renderTable } from '../../../../web/table.ts';
import { renderWhen } from '../../../../web/time.ts';
import { flashMessage, openUserFlow, rejectStaleForm } from '../../../../web/user-page.ts';
import { texts } from '../texts.ts';

type Job = CallOutput<'identity.operator.jobs.list'>['data'][number];

/** The kind of the tokens of the forms of the jobs. */
const formKind = 'scheduled job';

/** The scheduled work of the platform. */
export const operatorJobsPages = {
  'pages.operator.jobs': operatorPage('jobs', {
    rest: 'GET',
    summary: 'Show the scheduled work of the platform',
    handler: (visit) => renderJobs(visit),
  }),
  'pages.operator.jobs.run': operatorPage('jobs', {
    rest: 'POST',
    summary: 'Run scheduled work of the platform now',
    handler: run,
  }),
};

async function run(visit: OperatorVisit): Promise<PageAnswer> {
  const { name } = pickFields(visit.form, 'name');
  const refusal =
    rejectStaleForm(visit, formKind) ??
    (await refusalOf([], () => call(visit.ctx, 'identity.operator.jobs.run', { path: { name } })));
  if (refusal) return renderJobs(visit, refusal);
  return redirectTo(operatorPath('jobs', [], { done: 'requested' }));
}

async function renderJobs(visit: OperatorVisit, refusal?: Refusal): Promise<PageAnswer> {
  const { data, silent } = await call(visit.ctx, 'identity.operator.jobs.list', {});
  const t = texts().operatorConsole.jobs;
  const { columns } = t;
  const flow = openUserFlow(visit, formKind);
  const words = html`<p>${t.silent(silent.join(', '))}</p>`;
  return renderOperatorPage(visit, {
    title: t.title,
    lead: t.lead,
    notice: flashMessage(visit, { requested: t.run.done }),
    refusal,
    body: html`${silent.length > 0 && renderBanner({ tone: 'warn', icon: 'alert', words })}
${renderTable<Job>({
  label: t.label,
  columns: [
    {
      heading: columns.job,
      cell: (job) => renderName({ name: html`<code>${job.name}</code>`, summary: renderDone(job) }),
    },
    { heading: columns.state, cell: renderJobState, isState: true },
    { heading: columns.attempts, cell: ({ attempts }) => String(attempts), isNumber: true, isMinor: true },
    { heading: columns.done, cell: renderDone, isNumber: true },
    { heading: columns.next, cell: ({ next }) => (next === null ? t.now : renderWhen(next)), isNumber: true },
    { heading: t.run.column, cell: (job) => renderRun(job, flow), isState: true },
  ],
  rows: data,
  empty: t.none,
})}
${renderFailures(data.filter(({ lastError }) => lastError !== null))}`,
  });
}

function renderDone({ doneAt }: Job): Content {
  return doneAt === null ? texts().operatorConsole.jobs.never : renderWhen(doneAt);
}

function renderJobState({ runningOn, lastError }: Job): Html {
  const t = texts().operatorConsole.jobs;
  if (runningOn !== null) return renderState(t.runningOn(runningOn), 'run');
  return lastError === null ? renderState(t.states.waiting, 'off') : renderState(t.states.failed, 'bad');
}

/** A job that is running has no button. */
function renderRun({ name, runningOn }: Job, flow: string): Html | null {
  if (runningOn !== null) return null;
  const { submit } = texts().operatorConsole.jobs.run;
  return html`<form method="post" action="${operatorPath('jobs')}">${flowField(flow)}<input type="hidden" name="name" value="${name}">
<button class="btn sm" aria-label="${texts().nameOfButton(submit, name)}">${submit}</button></form>`;
}

function renderFailures(failed: readonly Job[]): Html | null {
  if (failed.length === 0) return null;
  return html`<section class="sec" aria-labelledby="h-failures"><div class="sec-head"><h2 id="h-failures">${texts().operatorConsole.jobs.failures}</h2></div>
${renderFacts(failed.map(({ name, lastError }) => [html`<code>${name}</code>`, html`<bdi>${lastError}</bdi>`]))}</section>`;
}
