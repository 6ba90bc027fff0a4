import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { day, now } from '../../../../lib/data/clock.ts';
import { type Html, html } from '../../../../web/html.ts';
import { formatCount, formatSize } from '../../../../web/numbers.ts';
import { type OperatorVisit, operatorPage, renderOperatorPage } from '../../../../web/operator-page.ts';
import type { PageAnswer } from '../../../../web/page.ts';
import { renderBanner, renderState } from '../../../../web/states.ts';
import { renderEmpty, renderName, renderTable } from '../../../../web/table.ts';
import { renderWhen, renderWhenWithin } from '../../../../web/time.ts';
import { texts } from '../texts.ts';

type Backup = CallOutput<'identity.operator.backups.list'>['data'][number];

/** From this age in days of the newest backup on, the page warns. */
const oldAfterDays = 7;

/** The backups of the platform. They are made by a command, on the machine of the data. */
export const operatorBackupsPages = {
  'pages.operator.backups': operatorPage('backups', {
    rest: 'GET',
    summary: 'Show the backups of the platform',
    handler: renderBackups,
  }),
};

async function renderBackups(visit: OperatorVisit): Promise<PageAnswer> {
  const { data, isEmbedded } = await call(visit.ctx, 'identity.operator.backups.list', {});
  const t = texts().operatorConsole.backups;
  return renderOperatorPage(visit, {
    title: t.title,
    lead: t.lead,
    body: isEmbedded ? renderList(data) : renderEmpty({ icon: 'download', ...t.elsewhere, acts: renderGuide() }),
  });
}

function renderList(backups: readonly Backup[]): Html {
  const t = texts().operatorConsole.backups;
  const { columns } = t;
  const [newest] = backups;
  const isOld = newest !== undefined && now().getTime() - Date.parse(newest.savedAt) > oldAfterDays * day;
  return html`${isOld && renderBanner({ tone: 'warn', icon: 'clock', words: html`<p>${t.old(oldAfterDays)}</p>`, act: renderGuide() })}
${renderTable<Backup>({
  label: t.title,
  columns: [
    {
      heading: columns.file,
      cell: ({ file, savedAt }) =>
        renderName({ name: html`<bdi class="id">${file}</bdi>`, summary: renderWhenWithin(savedAt) }),
    },
    { heading: columns.state, cell: renderPresence, isState: true },
    { heading: columns.size, cell: ({ bytes }) => formatSize(bytes), isNumber: true },
    { heading: columns.objects, cell: ({ objects }) => formatCount(objects), isNumber: true },
    { heading: columns.saved, cell: ({ savedAt }) => renderWhen(savedAt), isNumber: true },
  ],
  rows: backups,
  empty: renderEmpty({
    icon: 'download',
    title: t.none.title,
    words: t.none.words,
    acts: renderGuide(),
    code: [{ label: t.none.code, text: 'npm run backup -- /backups/monday.db' }],
  }),
})}`;
}

function renderPresence({ isPresent }: Backup): Html {
  const t = texts().operatorConsole.backups;
  return isPresent ? renderState(t.present, 'good') : renderState(t.moved, 'off');
}

const renderGuide = (): Html =>
  html`<a class="btn" href="/docs/operations#back-up">${texts().operatorConsole.backups.guide}</a>`;
