import {
  noticeOf,
  openUserFlow,
  pick,
  type Refusal,
  redirectTo,
  refusalOf,
  refuseStale,
  showFields,
  showForm,
  showUserPage,
  type UserVisit,
  userPage,
} from 'platform/service';

const path = '/hello';
const permission = 'hello.greet';
const navigation = { label: 'Hello', links: [[path, 'Greet']], current: path } as const;

function show(visit: UserVisit, name = '', refusal: Refusal | null = null) {
  const field = { name: 'name', label: 'Name', autocomplete: 'off', value: name, isRequired: true } as const;
  return showUserPage({
    title: 'Greet somebody',
    navigation,
    notice: noticeOf(visit, { greeted: 'They are greeted.' }),
    refusal,
    body: showForm({
      action: path,
      flow: openUserFlow(visit, path),
      fields: showFields([field], refusal?.errors),
      submit: 'Greet',
    }),
  });
}

export const pages = {
  'pages.greet.show': userPage(
    { rest: `GET ${path}`, summary: 'Greet by a form', handler: (visit) => show(visit) },
    permission,
  ),
  'pages.greet.submit': userPage(
    {
      rest: `POST ${path}`,
      summary: 'Greet by a form',
      async handler(visit) {
        const { name } = pick(visit.form, 'name');
        const greet = () => visit.ctx.call('hello.greet', { body: { name } });
        const refusal = refuseStale(visit, path) ?? (await refusalOf(['name'], greet));
        return refusal ? show(visit, name, refusal) : redirectTo(`${path}?done=greeted`);
      },
    },
    permission,
  ),
};
