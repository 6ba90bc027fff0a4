import { describe, expect, test } from '@jest/globals';
import type { TemplateKind } from '../../../messaging/templates/kind.ts';
import { liveVersion } from '../../../messaging/templates/rendering.ts';

type Stored = { _id: string; orgId: string; liveVersion: number | null; deletedAt: Date | null };

/** Templates in memory, and the queries for them. */
function kindOf(service: string, templates: Stored[]) {
  const queries: string[][] = [];
  const find = ({ orgId, _id: { $in } }: { orgId: string; _id: { $in: string[] } }) => {
    queries.push($in);
    const found = templates.filter((one) => one.orgId === orgId && $in.includes(one._id)).map((one) => ({ ...one }));
    return { toArray: () => Promise.resolve(found) };
  };
  const versions = { findOne: (name: object) => ({ lean: () => Promise.resolve({ ...name }) }) };
  return { kind: { service, templates: { collection: { find } }, versions } as unknown as TemplateKind, queries };
}

const template = (_id: string, more: Partial<Stored> = {}): Stored => ({
  _id,
  orgId: 'org_1',
  liveVersion: 1,
  deletedAt: null,
  ...more,
});

describe('the live version of a template', () => {
  test('is asked in one query by concurrent requests of an organization, and in another by those of others', async () => {
    const { kind, queries } = kindOf('one', [template('tpl_1'), template('tpl_2', { liveVersion: 3 })]);
    const asked = ['tpl_1', 'tpl_2', 'tpl_1', 'tpl_2'].map((id) => liveVersion(kind, 'org_1', id));
    const ofOther = liveVersion(kind, 'org_2', 'tpl_1').catch((error) => error);
    expect((await Promise.all(asked)).map(({ templateId, version }) => [templateId, version])).toEqual([
      ['tpl_1', 1],
      ['tpl_2', 3],
      ['tpl_1', 1],
      ['tpl_2', 3],
    ]);
    expect(await ofOther).toMatchObject({ type: 'INPUT_INVALID' });
    expect(queries).toEqual([['tpl_1', 'tpl_2'], ['tpl_1']]);
  });

  test('is the one that was published last, at once, and none once it is deleted', async () => {
    const stored = template('tpl_3');
    const { kind } = kindOf('two', [stored]);
    expect(await liveVersion(kind, 'org_1', 'tpl_3')).toMatchObject({ version: 1 });
    stored.liveVersion = 2;
    expect(await liveVersion(kind, 'org_1', 'tpl_3')).toMatchObject({ version: 2 });
    for (const change of [{ liveVersion: null }, { deletedAt: new Date() }]) {
      Object.assign(stored, { liveVersion: 2, deletedAt: null, ...change });
      await expect(liveVersion(kind, 'org_1', 'tpl_3')).rejects.toMatchObject({ type: 'INPUT_INVALID' });
    }
  });
});
