import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { TemplateError } from '../../../messaging/templates/liquid.ts';

const inThread = jest.fn<(turn: object, work: { kind: string }) => Promise<object>>();
jest.unstable_mockModule('../../../messaging/templates/thread.ts', () => ({ inThread }));
const { renderVersion } = await import('../../../messaging/templates/rendering.ts');
const { compileDraft } = await import('../../../messaging/templates/versions.ts');
const { mailTemplates } = await import('../../../services/mail/templates/kind.ts');

const turn = { orgId: 'org', userId: 'usr' };

describe('the thread of templates', () => {
  beforeEach(() => void inThread.mockReset());

  test('renders every template, also the shortest', async () => {
    inThread.mockResolvedValue({ text: 'x' });
    const compiled = { text: 'x', addressVariables: [] };
    const rendered = await renderVersion(turn, { contents: [{ locale: '', source: {}, compiled }] }, { variables: {} });
    expect(rendered).toEqual({ text: 'x', locale: null });
    expect(inThread.mock.calls).toEqual([[turn, { kind: 'render', content: compiled, variables: {} }]]);
  });

  test.each(['The template takes too long.', 'The template takes too much memory.'])(
    'refuses a template by 400: %s',
    async (message) => {
      inThread.mockRejectedValue(new TemplateError(message));
      const content = { subject: 'x', html: '<p>x</p>' };
      const draft = { category: 'transactional' as const, variables: [], content, locales: { de: content } };
      await expect(compileDraft(mailTemplates, turn, draft)).rejects.toMatchObject({
        type: 'INPUT_INVALID',
        data: {
          details: [
            { path: 'body.html', message },
            { path: 'body.locales.de.html', message },
          ],
        },
      });
    },
  );
});
