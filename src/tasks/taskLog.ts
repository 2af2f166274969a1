/** Where tasks write what happens to them. Whoever keeps it takes credentials out of it. */
export interface TaskLog {
  info(topic: 'task', message: string): void;
  warn(topic: 'task', message: string): void;
  error(topic: 'task', message: string): void;
}
