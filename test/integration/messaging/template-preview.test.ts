import { describe, expect, test } from '@jest/globals';
import { newTenantClient } from '../../support/tenant-client.ts';

const branch = '{% if company %}for {{ company }}{% else %}for you{% endif %}';
const content = { subject: `News ${branch}`, text: `{{ name }}, news ${branch}.` };
const variables = [
  { name: 'name', required: true, sample: 'Grace' },
  { name: 'company', required: false, sample: 'Acme' },
];

describe.each(['mail', 'notification'] as const)('a preview of a %s template', (service) => {
  async function newTemplate() {
    const client = await newTenantClient();
    const body = { name: 'News', ...content, variables };
    const { id: templateId } = await client.call(`${service}.templates.create`, { body });
    const preview = async (more: object) => {
      const { subject, text } = await client.call(`${service}.templates.preview`, { path: { templateId }, body: more });
      return [subject, text];
    };
    return { client, templateId, preview };
  }

  test('shows the samples, or what comes of a message without optional values', async () => {
    const { preview } = await newTemplate();
    const [whole, without] = [
      ['News for Acme', 'Grace, news for Acme.'],
      ['News for you', 'Grace, news for you.'],
    ];
    expect(await preview({})).toEqual(whole);
    expect(await preview({ withoutOptional: false })).toEqual(whole);
    expect(await preview({ withoutOptional: true })).toEqual(without);
    expect(await preview({ withoutOptional: true, variables: { company: 'Mugs' } })).toEqual([
      'News for Mugs',
      'Grace, news for Mugs.',
    ]);
    const draft = { variables: [variables[0], { name: 'company', required: false, sample: '' }] };
    expect(await preview({ draft })).toEqual(without);
  });

  test('takes true or false for that', async () => {
    const { client, templateId } = await newTemplate();
    const path = `/v1/${service === 'mail' ? 'mail' : 'notifications'}/templates/${templateId}/preview`;
    const refused = await client.send('POST', path, { withoutOptional: 'yes' });
    expect(refused).toMatchObject({ status: 400, body: { details: [{ path: 'body.withoutOptional' }] } });
  });

  test('is refused where the template cannot do without an optional value, as the template itself is', async () => {
    const { client, templateId } = await newTemplate();
    const body = { subject: '{{ 10 | divided_by: company }}' };
    const refused = await client.attempt(`${service}.templates.update`, { path: { templateId }, body });
    expect(refused).toMatchObject({ status: 400, body: { error: 'INPUT_INVALID' } });
    const numeric = [variables[0], { name: 'company', required: false, sample: '4' }];
    const half = { ...body, variables: numeric } as never;
    expect(await client.attempt(`${service}.templates.update`, { path: { templateId }, body: half })).toMatchObject({
      status: 400,
      body: { details: [{ message: expect.stringMatching(/^Without the optional variables: Division by zero/) }] },
    });
  });
});
