import {
  flashMessage,
  openUserFlow,
  pickFields,
  type Refusal,
  redirectTo,
  refusalOf,
  rejectStaleForm,
  renderFields,
  renderForm,
  renderServicePage,
  type UserVisit,
  userPage,
} from 'platform/service';

const path = '/hello';
const permission = 'hello.greet';

function renderGreeting(visit: UserVisit, name = '', refusal: Refusal | null = null) {
  const field = { name: 'name', label: 'Name', autocomplete: 'off', value: name, isRequired: true } as const;
  return renderServicePage(visit, {
    title: 'Greet a person',
    notice: flashMessage(visit, { greeted: 'They are greeted.' }),
    refusal,
    body: renderForm({
      action: path,
      flow: openUserFlow(visit, path),
      fields: renderFields([field], refusal?.errors),
      submit: 'Greet',
    }),
  });
}

export const pages = {
  'pages.greet.show': userPage(
    { rest: `GET ${path}`, summary: 'Greet by a form', handler: (visit) => renderGreeting(visit) },
    permission,
  ),
  'pages.greet.submit': userPage(
    {
      rest: `POST ${path}`,
      summary: 'Greet by a form',
      async handler(visit) {
        const { name } = pickFields(visit.form, 'name');
        const greet = () => visit.ctx.call('hello.greet', { body: { name } });
        const refusal = rejectStaleForm(visit, path) ?? (await refusalOf(['name'], greet));
        return refusal ? renderGreeting(visit, name, refusal) : redirectTo(`${path}?done=greeted`);
      },
    },
    permission,
  ),
};
