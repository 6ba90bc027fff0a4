import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { day, fromNow } from '../../../lib/data/clock.ts';
import { idFrom, idRandomBytes } from '../../../lib/data/ids.ts';
import { OrganizationModel } from '../../../models/identity/organization.ts';
import { UserModel } from '../../../models/identity/user.ts';

const recentDays = 7;

const figures = z.strictObject({ all: z.int(), recent: z.int() });

/**
 * `identity.operator.figures`, for the start page of operators: the numbers of organizations and users, and of those
 * that were created within seven days. Ids begin with their time, so each number is a range of one index.
 */
export const readFigures = defineAction({
  summary: 'Count the organizations and users of the platform',
  permission: 'internal',
  safe: true,
  input: {},
  output: z.strictObject({ organizations: figures, users: figures }),
  async handler() {
    const since = (prefix: 'org' | 'usr') => ({ $gte: idFrom(prefix, fromNow(-recentDays * day), firstBytes) });
    const status = 'active' as const;
    const [organizations, newOrganizations, users, newUsers] = await Promise.all([
      OrganizationModel.countDocuments({ status }),
      OrganizationModel.countDocuments({ status, _id: since('org') }),
      UserModel.countDocuments({ status }),
      UserModel.countDocuments({ status, _id: since('usr') }),
    ]);
    return {
      organizations: { all: organizations, recent: newOrganizations },
      users: { all: users, recent: newUsers },
    };
  },
});

/** The random part of the first id of an instant. */
const firstBytes = Buffer.alloc(idRandomBytes);

export const figureActions = { 'operator.figures': readFigures };
