import { type Html, html } from '../../../../web/html.ts';
import { renderIcon } from '../../../../web/icons.ts';
import { type OrganizationVisit, pathOf } from '../../../../web/organization-page.ts';
import { texts } from '../texts.ts';

const steps = ['key', 'event', 'story', 'upload', 'mail', 'sender', 'member'] as const;
type Step = (typeof steps)[number];

/** Whether each step is done, as the stored data says; null where the member may not know. */
export type Facts = Readonly<Record<Step, boolean | null>>;

/** The area of the console where a step begins. */
const areas = {
  key: 'applications',
  event: 'events',
  story: 'customers',
  upload: 'files',
  mail: 'templates',
  sender: 'sender',
  member: 'invitations',
} as const;

/** Renders what a new organization does first, with a tick at what has happened. Null when all is done. */
export function renderFirstSteps(visit: OrganizationVisit, facts: Facts): Html | null {
  const known = steps.filter((step) => facts[step] !== null);
  const done = known.filter((step) => facts[step]);
  if (known.length === done.length) return null;
  const t = texts().overview.steps;
  const circle = 69.12;
  return html`<section class="sec" aria-labelledby="h-first">
<div class="sec-head"><h2 id="h-first">${t.title}</h2><span class="quiet small">${t.done(done.length, known.length)}</span><svg class="ring" viewBox="0 0 28 28" aria-hidden="true"><circle cx="14" cy="14" r="11"/><circle cx="14" cy="14" r="11" stroke-dasharray="${((done.length / known.length) * circle).toFixed(1)} ${circle}"/></svg></div>
<ul class="steps">${known.map((step) => (facts[step] ? renderDone(step) : renderOpen(visit, step)))}</ul></section>`;
}

function renderDone(step: Step): Html {
  const t = texts().overview.steps;
  return html`<li>${renderIcon('ok')}<div><span class="vh">${t.doneWord} </span>${t.names[step]}</div></li>
`;
}

function renderOpen(visit: OrganizationVisit, step: Step): Html {
  const t = texts().overview.steps;
  const href = pathOf(visit, areas[step]);
  return html`<li><span class="todo"></span><div><b>${t.names[step]}</b><p>${t.words[step]}</p></div><a class="btn sm" href="${href}" aria-label="${t.startNamed(t.names[step])}">${t.start}</a></li>
`;
}
