/** One thing that must hold for a service to do its work, as checked just now. `detail` is for operators: no secrets, no addresses of callers. */
export type Readiness = { name: string; ok: boolean; detail?: string };
