import { type CallInput, call } from '../../../../lib/contract/context.ts';
import { type RegistrationMode, registrationModes } from '../../../../models/identity/registration-policy.ts';
import { type Refusal, refusalOf, refuse, withRenamedProblems } from '../../../../web/attempt.ts';
import { type Options, renderFields, renderOptions } from '../../../../web/fields.ts';
import { renderForm } from '../../../../web/form-page.ts';
import { type OperatorVisit, operatorPage, operatorPath, renderOperatorPage } from '../../../../web/operator-page.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pickFields } from '../../../../web/pick.ts';
import { renderSection } from '../../../../web/sections.ts';
import { flashMessage, openUserFlow, rejectStaleForm } from '../../../../web/user-page.ts';
import { domainsIn, nameDomain } from '../domains.ts';
import { texts } from '../texts.ts';

/** The kind of the tokens of the form. */
const formKind = 'registration policy';
const names = ['mode', 'domains'] as const;

/** The people who may create an account on the platform. */
export const operatorRegistrationPages = {
  'pages.operator.registration': operatorPage('registration', {
    rest: 'GET',
    summary: 'Show who may create an account',
    handler: (visit) => renderRegistration(visit),
  }),
  'pages.operator.registration.save': operatorPage('registration', {
    rest: 'POST',
    summary: 'Open or limit registration',
    handler: save,
  }),
};

/** The mode, and the domains as they are typed, one a line. */
type Values = { mode: string; domains: string };

async function save(visit: OperatorVisit): Promise<PageAnswer> {
  const typed = pickFields(visit.form, ...names);
  const refusal = rejectStaleForm(visit, formKind) ?? (await submit(visit, typed));
  if (refusal) return renderRegistration(visit, typed, refusal);
  return redirectTo(operatorPath('registration', [], { done: 'saved' }));
}

async function submit({ ctx }: OperatorVisit, { mode, domains: typed }: Values): Promise<Refusal | null> {
  const known = registrationModes.find((one) => one === mode);
  if (!known) return refuse({ mode: texts().operatorConsole.registration.modeMissing });
  const domains = domainsIn(typed);
  const body: CallInput<'identity.operator.registration.update'>['body'] = { mode: known, domains };
  return await refusalOf(names, () =>
    withRenamedProblems(
      (detail) => nameDomain(detail, domains),
      () => call(ctx, 'identity.operator.registration.update', { body }),
    ),
  );
}

async function renderRegistration(visit: OperatorVisit, typed?: Values, refusal?: Refusal): Promise<PageAnswer> {
  const { mode, domains } = typed ?? (await readValues(visit));
  const t = texts().operatorConsole.registration;
  const options: Options['options'] = registrationModes.map((value: RegistrationMode) => ({
    value,
    ...t.modes[value],
  }));
  const field = {
    name: 'domains',
    label: t.domains,
    autocomplete: 'off',
    lines: 5,
    value: domains,
    hint: t.domainsHint,
  };
  return renderOperatorPage(visit, {
    title: t.title,
    lead: t.lead,
    notice: flashMessage(visit, { saved: t.done }),
    refusal,
    body: renderSection({
      id: 'accounts',
      title: t.who,
      words: t.words,
      content: renderForm({
        action: operatorPath('registration'),
        flow: openUserFlow(visit, formKind),
        fields: [
          renderOptions({ name: 'mode', label: t.mode, options }, mode, refusal?.errors.mode),
          ...renderFields([field], refusal?.errors),
        ],
        submit: t.submit,
      }),
    }),
  });
}

async function readValues({ ctx }: OperatorVisit): Promise<Values> {
  const { mode, domains } = await call(ctx, 'identity.operator.registration.read', {});
  return { mode, domains: domains.join('\n') };
}
