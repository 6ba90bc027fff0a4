/*
 * What the benchmarks use of the peers, declared here: the platform's types are checked where the benchmarks' own
 * packages are not installed.
 */

declare module 'casbin' {
  export type Model = object;
  export type Enforcer = {
    addPolicies(rules: string[][]): Promise<boolean>;
    addGroupingPolicies(rules: string[][]): Promise<boolean>;
    enforceSync(...request: string[]): boolean;
  };
  export function newModelFromString(text: string): Model;
  export function newEnforcer(model: Model): Promise<Enforcer>;
}

declare module '@casl/ability' {
  export type Ability = { can(action: string, subject: string): boolean };
  export function createMongoAbility(rules: { action: string; subject: string }[]): Ability;
}
