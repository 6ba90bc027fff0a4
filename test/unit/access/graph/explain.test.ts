import { describe, expect, test } from '@jest/globals';
import { applyAll, assigned, graphOf, registered, role } from './building.ts';

const now = 5_000_000;
const graph = graphOf(
  registered('shop.read', 'shop.write', 'shop.unused'),
  role('role_reader', ['shop.read']),
  role('role_writer', ['shop.write'], ['role_reader']),
  role('role_lead', [], ['role_writer']),
  role('role_boss', [], ['role_lead', 'role_reader']),
  assigned('asg_b', 'usr_bob', 'role_boss'),
  assigned('asg_a', 'usr_bob', 'role_lead'),
  assigned('asg_c', 'usr_eve', 'role_reader'),
  assigned('asg_d', 'usr_eve', 'role_writer', 9000),
  assigned('asg_e', 'usr_eve', 'role_lead', 8000),
  assigned('asg_f', 'app_till', 'role_reader', 9000),
);

describe('an explanation', () => {
  test('names each assignment that allows, with the shortest way to the role that names the permission', () => {
    expect(graph.explain('usr_bob', 'shop.read', now)).toEqual({
      allowed: true,
      because: [
        {
          assignmentId: 'asg_a',
          roleId: 'role_lead',
          permission: 'shop.read',
          through: ['role_writer', 'role_reader'],
        },
        { assignmentId: 'asg_b', roleId: 'role_boss', permission: 'shop.read', through: ['role_reader'] },
      ],
      missing: null,
    });
  });

  test('has no way where the assigned role names the permission itself', () => {
    const because = [{ assignmentId: 'asg_c', roleId: 'role_reader', permission: 'shop.read', through: [] }];
    expect(graph.explain('usr_eve', 'shop.read', now)).toEqual({ allowed: true, because, missing: null });
    expect(graph.explain('usr_olga', 'mail.send', now).because).toEqual([
      { assignmentId: 'asg_usr_olga', roleId: 'role_owner', permission: 'mail.send', through: [] },
    ]);
  });

  test('leaves out assignments that expired', () => {
    expect(graph.explain('usr_eve', 'shop.read', 8999).because.map((reason) => reason.assignmentId)).toEqual([
      'asg_c',
      'asg_d',
    ]);
  });

  test('tells that an assignment expired, and when: the last that did', () => {
    expect(graph.explain('usr_eve', 'shop.write', now)).toEqual({
      allowed: false,
      because: [],
      missing: {
        reason: 'EXPIRED',
        message: 'The assignment asg_d of role_writer expired at 1970-01-01T00:00:09.000Z.',
        roles: ['role_boss', 'role_lead', 'role_writer'],
      },
    });
    expect(graph.explain('app_till', 'shop.read', now).missing?.reason).toBe('EXPIRED');
  });

  test('tells that no role of the subject grants it, and which would', () => {
    expect(graph.explain('usr_olga', 'shop.write', now).missing).toEqual({
      reason: 'NOT_GRANTED',
      message: 'None of the roles of the user grants this permission.',
      roles: ['role_boss', 'role_lead', 'role_writer'],
    });
    expect(graph.explain('usr_bob', 'shop.unused', now).missing).toMatchObject({ reason: 'NOT_GRANTED', roles: [] });
    expect(graph.explain('usr_bob', 'billing.write', now).missing?.roles).toEqual(['role_owner']);
  });

  test('tells that the subject is unknown', () => {
    expect(graph.explain('usr_zoe', 'shop.read', now).missing).toEqual({
      reason: 'SUBJECT_UNKNOWN',
      message: 'The user has no role in this organization.',
      roles: ['role_boss', 'role_lead', 'role_reader', 'role_writer'],
    });
    expect(graph.explain('app_other', 'shop.read', now).missing?.message).toContain('The application');
  });

  test('tells that the permission is unknown', () => {
    expect(graph.explain('usr_bob', 'shop.raed', now)).toEqual({
      allowed: false,
      because: [],
      missing: {
        reason: 'PERMISSION_UNKNOWN',
        message: 'No permission of this key is registered in the organization.',
        roles: [],
      },
    });
  });

  test('suggests no more than twenty roles', () => {
    const many = applyAll(
      graphOf(registered('shop.read')),
      Array.from({ length: 30 }, (_, place) => role(`role_${place + 10}`, ['shop.read'])),
    );
    const roles = Array.from({ length: 20 }, (_, place) => `role_${place + 10}`);
    expect(many.explain('usr_olga', 'shop.read', now).missing?.roles).toEqual(roles);
  });
});
