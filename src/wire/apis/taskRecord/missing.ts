import { type ErrorReport, readErrorBody } from '../../errorBody.ts';
import { tellsNoRoute } from '../../errorWords.ts';

const taskWords =
  /\b(task|job|video|generation|interaction|operation|prediction|render|batch|entity|record)s?\b|任务|任務|作业|视频|记录/i;
const missingWords =
  /\bnot (be )?found\b|\bno such\b|\b(does|did|do) ?n[o'’]?t exist|\bnot exists?\b|\bunknown\b|\bmissing\b|\bno longer\b|\b(was|were|been|is|already|has) (deleted|removed|expired|gone|purged)\b|\b(cannot|can['’]t|could ?n[o'’]?t|unable to) (be )?(find|found|locate)|不存在|未找到|找不到|没有找到|沒有|没找到|查询不到|查无|无此|已(经|被)*(删除|刪除|过期|失效|清除)/i;
const routeWords = /\b(route|url|uri|path|endpoint|page|handler|method|api)\b|路由|路径|接口|地址|页面|网址/i;

/**
 * Whether a 404 is about the task, in English or Chinese. Only then the task does not exist: a web page, a
 * path, or a plain "Not Found" may have other causes.
 *
 * @param body the body of the reply as text
 */
export function tellsMissingTask(body: string, taskId: string): boolean {
  const report = readErrorBody(body);
  if (report.html || tellsNoRoute(report, false)) return false;
  return sentences(report).some((sentence) => {
    if (routeWords.test(sentence)) return false;
    return missingWords.test(sentence) && (taskWords.test(sentence) || sentence.includes(taskId));
  });
}

/** The message without addresses, and the codes as words: `TaskNotFound`, `task_not_exist`. */
function sentences({ message = '', words }: ErrorReport): readonly string[] {
  const codes = words.map((word) => word.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[_.:-]/g, ' '));
  return [message.replace(/(https?:\/\/|\/)\S+/g, ' '), ...codes];
}
