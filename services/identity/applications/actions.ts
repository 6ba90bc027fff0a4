import { checkApplication } from './check-application.ts';
import { createApplication } from './create-application.ts';
import { deleteApplication } from './delete-application.ts';
import { listApplications } from './list-applications.ts';
import { readApplication } from './read-application.ts';
import { updateApplication } from './update-application.ts';

export const applicationActions = {
  'applications.list': listApplications,
  'applications.read': readApplication,
  'applications.create': createApplication,
  'applications.update': updateApplication,
  'applications.delete': deleteApplication,
  'applications.exists': checkApplication,
};
