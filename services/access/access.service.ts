import type { Context, Service, ServiceBroker, ServiceSchema } from 'moleculer';
import type { Sweep } from '../../lib/data/sweep.ts';
import { cron, everyMinutes, sweeping } from '../../mixins/cron/cron.ts';
import { mongoLifecycle } from '../../mixins/mongo.ts';
import { ChangeModel } from '../../models/access/change.ts';
import { DeclaredPermissionModel } from '../../models/access/declared-permission.ts';
import { HeadModel } from '../../models/access/head.ts';
import { PermissionDescriptionModel } from '../../models/access/permission-description.ts';
import { SnapshotModel } from '../../models/access/snapshot.ts';
import {
  deleteAssignment,
  listAssignmentsOfApplication,
  listAssignmentsOfRole,
  listAssignmentsOfUser,
} from './assignments.actions.ts';
import { addMembership, changeMembership, removeSubject, requireMemberRoom } from './change-membership.ts';
import { createRole, updateRole } from './change-role.actions.ts';
import { check, checkBatch } from './checks.actions.ts';
import { decideAtRevision } from './checks-cached.ts';
import { createAssignment } from './create-assignment.ts';
import { explain, listPermissionsOfUser, listUsersWithPermission } from './explain.ts';
import {
  findMemberships,
  listMemberships,
  listMembershipsOfUser,
  listMembershipsOfUsers,
  listOwnedAlone,
  readCallerScopes,
  readMembership,
} from './memberships.ts';
import { describeGraph, whoCan, why } from './operator.ts';
import {
  closeOrganization,
  countMembers,
  eraseOrganization,
  initializeOrganization,
  waitForRevision,
} from './organizations.ts';
import { rolesPages } from './pages/roles.ts';
import { keepDeclaredPermissions, listDeclaredPermissions, listPermissions } from './permissions.ts';
import { registerPermissions } from './register-permissions.ts';
import { deleteRole, listRoles, readRole } from './roles.ts';
import { type OpenStore, openWithRetry } from './store/open-store.ts';
import { sweepAccess } from './store/sweeps.ts';
import { type AccessChanged, accessChanged, type Publisher, peersOf } from './store/synchroniser.ts';
import { requireAuthority, suspendMembership } from './suspend-membership.ts';

type Access = Service & { store?: OpenStore };

/** The instances of the service in this process. One of them runs the sweep for all. */
const running = new Set<Access>();

async function tidy(_broker: ServiceBroker, sweep: Sweep): Promise<void> {
  const [service] = running;
  if (service) await keepDeclaredPermissions(service.broker);
  if (service?.store) await sweepAccess(service.store, service.broker as unknown as Publisher, sweep);
}

/** After a pause of seconds the process polls for changes before it answers, instead of refusing to answer. */
function resumeAfterPause(this: Access): Promise<void> | undefined {
  return this.store && !this.store.isCurrent() ? this.store.resume() : undefined;
}

/**
 * Access control: roles, permissions, assignments and memberships. It answers from memory, also without the database.
 */
const access: ServiceSchema<Record<string, unknown>, object, object, Access> = {
  name: 'access',
  metadata: { erases: 'organizations.erase' },
  mixins: [
    cron(sweeping('access.tidying', everyMinutes(60), tidy)),
    mongoLifecycle(ChangeModel, HeadModel, PermissionDescriptionModel, SnapshotModel, DeclaredPermissionModel),
  ],
  hooks: { before: { '*': resumeAfterPause } },
  actions: {
    'assignments.create': createAssignment,
    'assignments.delete': deleteAssignment,
    'assignments.list-of-user': listAssignmentsOfUser,
    'assignments.list-of-application': listAssignmentsOfApplication,
    'assignments.list-of-role': listAssignmentsOfRole,
    check,
    decide: decideAtRevision,
    'check-batch': checkBatch,
    explain,
    'users.list-permissions': listPermissionsOfUser,
    'permissions.list-users': listUsersWithPermission,
    'console.who-can': whoCan,
    'console.why': why,
    'console.graph': describeGraph,
    'graph.reach': waitForRevision,
    'memberships.add': addMembership,
    'memberships.change': changeMembership,
    'memberships.find': findMemberships,
    'memberships.list': listMemberships,
    'memberships.of-user': listMembershipsOfUser,
    'memberships.of-users': listMembershipsOfUsers,
    'memberships.owned-alone': listOwnedAlone,
    'memberships.read': readMembership,
    'memberships.require-authority': requireAuthority,
    'memberships.require-room': requireMemberRoom,
    'memberships.suspend': suspendMembership,
    'callers.scopes': readCallerScopes,
    'subjects.remove': removeSubject,
    'organizations.close': closeOrganization,
    'organizations.sizes': countMembers,
    'organizations.erase': eraseOrganization,
    'organizations.found': initializeOrganization,
    'permissions.declared': listDeclaredPermissions,
    'permissions.list': listPermissions,
    'permissions.register': registerPermissions,
    'roles.list': listRoles,
    'roles.read': readRole,
    'roles.create': createRole,
    'roles.update': updateRole,
    'roles.delete': deleteRole,
    ...rolesPages,
  },
  events: {
    [accessChanged]: {
      handler(this: Access, ctx: Context<AccessChanged>) {
        this.store?.receive(ctx.params);
      },
    },
    async '$services.changed'(this: Access) {
      await keepDeclaredPermissions(this.broker).catch((error) => {
        this.logger.warn("Storing a service's permissions failed; the hourly sweep retries", { error });
      });
    },
  },
  methods: {
    /** The parts that are not ready, for the node's readiness. */
    lacks(this: Access): string[] {
      return this.store?.isCurrent() ? [] : ['access'];
    },
  },
  // The service is announced only after this resolves, so that no request is answered from an incomplete graph.
  async started(this: Access) {
    this.store = await openWithRetry(peersOf(this.broker), this.logger);
    running.add(this);
  },
  async stopped(this: Access) {
    running.delete(this);
    await this.store?.stop();
  },
};

export default access;
