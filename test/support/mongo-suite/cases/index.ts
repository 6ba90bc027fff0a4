import type { Group } from '../case.ts';
import { filterGroups } from './filters.ts';

export const groups: Group[] = [...filterGroups];
