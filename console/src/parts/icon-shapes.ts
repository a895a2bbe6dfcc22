/** The icons of the console: one set of lines on a grid of 16. */
export const shapes = {
  home: 'M2.5 7.2 8 2.5l5.5 4.7v6.3h-3.7V9.7H6.2v3.8H2.5z',
  workspaces: 'M8 2 14 5 8 8 2 5zM2.4 8 8 10.8 13.6 8M2.4 11 8 13.8 13.6 11',
  runs: 'M5.5 4h8M5.5 8h8M5.5 12h8M2 4l.9.9L4.3 3.4M2 8l.9.9 1.4-1.5M2 12l.9.9 1.4-1.5',
  pipelines:
    'M6 4.5a2 2 0 1 1-4 0 2 2 0 0 1 4 0zM14 11.5a2 2 0 1 1-4 0 2 2 0 0 1 4 0zM6 4.5h3.5A2.5 2.5 0 0 1 12 7v2.5',
  clouds: 'M4.5 12.5a2.8 2.8 0 0 1-.3-5.6 4 4 0 0 1 7.7-.6 3.1 3.1 0 0 1-.4 6.2z',
  cost: 'M2.5 13.5h11M4 11.5v-3M7 11.5v-6M10 11.5v-4M13 11.5v-8',
  organization: 'M2.5 13.5v-11h6v11M8.5 6.5h5v7M1.5 13.5h13M4.5 5.2h2M4.5 8h2M4.5 10.8h2M11 9v2',
  done: 'M3 8.6 6.4 12 13 4.6',
  failed: 'M4 4l8 8M12 4l-8 8',
  refused: 'M13.5 8a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0zM4.2 4.2l7.6 7.6',
  outdated: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.4V5h-2.6',
  expired: 'M13.5 8a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0zM8 4.8V8l2.3 1.6',
  waiting: 'M6 3.5v9M10 3.5v9',
  queued: 'M12.5 8a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0z',
  running: 'M12.5 8a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0zM8 6.5v3M6.5 8h3',
  none: 'M4 8h8',
} as const

export type IconName = keyof typeof shapes
