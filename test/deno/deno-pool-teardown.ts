export { stop as default } from './deno-pool-setup.ts';
