import { createAssignment } from './create-assignment.ts';
import { deleteAssignment } from './delete-assignment.ts';
import { listAssignmentsOfApplication } from './list-assignments-of-application.ts';
import { listAssignmentsOfUser } from './list-assignments-of-user.ts';

export const assignmentActions = {
  'assignments.create': createAssignment,
  'assignments.delete': deleteAssignment,
  'assignments.list-of-user': listAssignmentsOfUser,
  'assignments.list-of-application': listAssignmentsOfApplication,
};
