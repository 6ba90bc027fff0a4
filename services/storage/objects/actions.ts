import { presignDownload, presignUpload } from '../transfers/presign.ts';
import { copyObject, moveObject } from './copy-object.ts';
import { deleteObject, deleteObjects } from './delete-objects.ts';
import { listObjects } from './list-objects.ts';
import { putObject } from './put-object.ts';
import { readObject } from './read-object.ts';
import { readPublicObject } from './read-public.ts';
import { readUsage } from './read-usage.ts';
import { signRead } from './sign-read.ts';
import { updateObject } from './update-object.ts';
import { uploadObject } from './upload-object.ts';

export const objectActions = {
  'objects.upload': uploadObject,
  'objects.put': putObject,
  'objects.read': readObject,
  'objects.read-public': readPublicObject,
  'objects.sign-read': signRead,
  'objects.update': updateObject,
  'objects.delete': deleteObject,
  'objects.delete-many': deleteObjects,
  'objects.copy': copyObject,
  'objects.move': moveObject,
  'objects.list': listObjects,
  'presign.upload': presignUpload,
  'presign.download': presignDownload,
  'usage.read': readUsage,
};
