import type { Task } from '../../../tasks/record/task.ts';
import type { TaskService } from '../../../tasks/taskService.ts';
import type { Connection } from '../../connection/connection.ts';
import { originOf } from '../task/taskGateways.ts';
import { nothingSent } from './ledgerMessages.ts';
import type { Purchase } from './spendingConsent.ts';
import { secondsOf, videoCost } from './videoPrice.ts';

interface PurchaseServices {
  readonly connection: Connection;
  readonly tasks: TaskService;
}

/**
 * Sends requests that the user agreed to, each once.
 *
 * @param submissionToken one that was used before sends nothing
 * @throws when the requests cannot be stored first; then nothing is sent
 */
export async function sendPurchase(
  { connection, tasks }: PurchaseServices,
  purchase: Purchase,
  submissionToken: string,
): Promise<readonly Task[]> {
  const { count, gateway, ...request } = purchase;
  const { models } = connection.of(gateway).state;
  const cost = videoCost({ ...purchase, count: 1 }, models);
  const seconds = secondsOf(purchase);
  // A local gateway that the user stopped starts for this. If that fails, the task tells why.
  if (gateway.kind === 'local')
    await connection
      .of(gateway)
      .client()
      .catch(() => undefined);
  const draft = {
    ...{ ...request, ...originOf(gateway) },
    ...(seconds !== undefined && { seconds }),
    ...(cost && { cost }),
  };
  return tasks.create(draft, submissionToken, count).catch((error) => {
    throw nothingSent(error);
  });
}
