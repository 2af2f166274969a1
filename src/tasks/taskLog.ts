/** The log of tasks. Its implementation hides credentials. */
export interface TaskLog {
  info(topic: 'task', message: string): void;
  warn(topic: 'task', message: string): void;
  error(topic: 'task', message: string): void;
}
