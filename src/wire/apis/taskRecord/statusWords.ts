/** The meaning of a status word. All but `running` are final and end the polling. */
export type StatusClass = 'running' | 'completed' | 'failed' | 'cancelled' | 'needs-attention';

/** Words for a task that is queued and not started yet. */
const queued =
  'queued queue queueing queuing inqueue pending submitted created accepted received new waiting wait scheduled ' +
  'notstart notstarted 排队中 等待中 排隊中 待機中 順番待ち 대기중 대기 enattente enfile encola encolado pendiente ' +
  'warteschlange wartend ausstehend nafila pendente incoda inattesa вочереди ожидание ожидает sırada bekliyor ' +
  'wkolejce oczekuje wachtrij đangchờ menunggu قيدالانتظار';

const wordsByClass: Record<StatusClass, string> = {
  running:
    `${queued} ` +
    'init initializing initialized preparing preprocessing validating starting started ' +
    'booting assigned running run inprogress processing process generating handling dreaming working rendering ' +
    'postprocessing finalizing archiving uploading saving throttled suspended paused updating active modal ' +
    'cancelling canceling cancellationrequested requirescontinuation 处理中 生成中 进行中 運行中 运行中 處理中 進行中 ' +
    '実行中 処理中 처리중 생성중 진행중 실행중 encours entraitement procesando enproceso enprogreso generando ' +
    'inbearbeitung läuft wirdverarbeitet processando emandamento gerando incorso inelaborazione обработка ' +
    'вобработке выполняется генерация işleniyor wtoku przetwarzanie bezig đangxửlý sedangdiproses قيدالمعالجة',
  completed:
    'completed complete succeeded succeed success successful successed done finished finish partiallysucceeded ' +
    'partialsuccess successpartial partialsucceeded partiallycompleted partialcompleted completedpartially completedwitherrors ' +
    'completedwithwarnings succeededwitherrors succeededwithwarnings finishedwitherrors finishedwithwarnings ' +
    '已完成 完成 成功 已成功 生成成功 已結束 已结束 部分成功 完了 成功しました 完了しました 완료 완료됨 성공 terminé terminée fini ' +
    'achevé réussi succès completado completada terminado terminada finalizado éxito listo abgeschlossen fertig ' +
    'erledigt erfolgreich concluído concluída concluido sucesso pronto completato completata riuscito завершено ' +
    'завершён завершена готово выполнено успешно успех tamamlandı başarılı zakończono ukończono gotowe voltooid ' +
    'gereed hoànthành thànhcông selesai berhasil مكتمل تم เสร็จสิ้น สำเร็จ पूर्ण',
  failed:
    'failed fail failure error errored timeout timedout expired rejected blocked moderated requestmoderated ' +
    'contentmoderated incomplete budgetexceeded banned tasknotfound notfound skipped crashed dead deleted ' +
    'denied refused declined killed unsuccessful nsfw censored flagged unknownerror ' +
    '失败 已失败 生成失败 超时 已超时 已过期 失敗 生成失敗 錯誤 错误 エラー 失敗しました 실패 오류 échec échoué échouée ' +
    'erreur fallido fallida falló fallado fehlgeschlagen gescheitert fehler falhou falha erro fallito fallita ' +
    'errore ошибка неудача неуспешно сбой başarısız hata niepowodzenie błąd mislukt fout thấtbại lỗi gagal فشل ' +
    'خطأ ล้มเหลว विफल',
  cancelled:
    'cancelled canceled cancel aborted stopped terminated revoked 已取消 取消 已停止 キャンセル キャンセル済み 中止 취소 취소됨 ' +
    'annulé annulée cancelado cancelada abgebrochen storniert annullato annullata отменено отменён отменена ' +
    'iptaledildi anulowano geannuleerd đãhủy dibatalkan ملغى',
  'needs-attention': 'requiresaction inputrequired authrequired',
};

const classes: ReadonlyMap<string, StatusClass> = new Map(
  (Object.entries(wordsByClass) as [StatusClass, string][]).flatMap(([status, list]) =>
    list.split(' ').map((word) => [word, status] as const),
  ),
);

const queuedWords: ReadonlySet<string> = new Set(queued.split(' '));

/** Words that change the meaning of other words, or that do not describe the task itself. */
const misleadingWords =
  /(^|[^a-z])(not?|non|never|invalid|unknown|previous|prior|last|old|next|retry|retrying|partial|partially|some|webhook|callback|notification|thumbnail|preview|cover|url|link|download)([^a-z]|$)/;

/** The meaning of a status word in any spelling; undefined for an unknown word. */
export function classifyStatus(word: string): StatusClass | undefined {
  return classes.get(normalizeStatus(word)) ?? classifyPhrase(word) ?? classifySentence(word);
}

/** Whether the word itself is listed, so that its meaning is certain. */
export function isListedStatus(word: string): boolean {
  return classes.has(normalizeStatus(word));
}

const failureWords =
  'failed|failure|error|errored|rejected|expired|cancelled|canceled|aborted|timed_?out|timeout|denied';
const endsInFailure = new RegExp(`^[a-z\\d]+(?:[_-][a-z\\d]+)*[_-](${failureWords})$`);
const beginsInFailure = new RegExp(`^(${failureWords})(?:[_-][a-z\\d]+)+$`);

/**
 * The meaning of several words that contain a known word, such as `GENERATE_VIDEO_FAILED` or `CANCELLED_BY_USER`.
 * A word for an activity, such as `upscaling`, means running.
 */
function classifyPhrase(word: string): StatusClass | undefined {
  const text = normalizeWord(word).replace(/\s+/g, '_');
  if (isActivity(text)) return 'running';
  if (misleadingWords.test(text)) return undefined;
  const [, failureWord] = endsInFailure.exec(text) ?? beginsInFailure.exec(text) ?? [];
  if (failureWord !== undefined) return classes.get(failureWord.replace('_', '')) ?? 'failed';
  const [first = '', ...rest] = text.split(/[_-]/);
  return classes.get(first) === undefined && isActivity(rest.at(-1) ?? '') ? 'running' : undefined;
}

function isActivity(word: string): boolean {
  return (
    /^[a-z]{3,30}ing$/.test(word) && !/^(miss|noth|someth|anyth|everyth|warn|exist|outstand)ing$/.test(word)
  );
}

/** The meaning of a failure word before its reason, and of short Chinese, Japanese and Korean sentences. */
function classifySentence(word: string): StatusClass | undefined {
  const text = word.slice(0, maxStatusLength).trim();
  const [, head = ''] = /^([\p{L} _-]{2,40}?)\s?[:：]\s?\S/u.exec(text) ?? [];
  const headClass = head === '' ? undefined : classes.get(normalizeStatus(head));
  if (headClass === 'failed' || headClass === 'cancelled') return headClass;
  if (!/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul} ]{2,12}$/u.test(text)) return undefined;
  if (/[未不没沒待无無非否]|아직|미완|안 /.test(text) || /部分.*[失败敗]/.test(text)) return undefined;
  return sentenceEnds.find(([end]) => end.test(text))?.[1];
}

const sentenceEnds: readonly (readonly [end: RegExp, meaning: StatusClass])[] = [
  [/(失败|失敗|失敗しました|실패)$/, 'failed'],
  [/(取消|취소)$/, 'cancelled'],
  [/(成功|完成|完毕|完了|完了しました|완료|성공)$/, 'completed'],
  [/(中|중)$/, 'running'],
];

/** Whether the word means that the task has not started. Unknown words count if they contain such a word. */
export function isQueuedStatus(word: string): boolean {
  const plain = normalizeStatus(word);
  return queuedWords.has(plain) || (!classes.has(plain) && /queue|pending/.test(plain));
}

/** Whether the word means that the gateway does not know the status or the task. */
export function isUnknownStatus(word: string): boolean {
  return normalizeStatus(word) === 'unknown';
}

/** Whether the meaning of the word is unknown. */
export function isUnclearStatus(word: string): boolean {
  return classifyStatus(word) === undefined && !isCallStatus(word) && !isUnknownStatus(word);
}

/** Whether the word means that the task does not exist. */
export function isMissingStatus(word: string): boolean {
  return /^(task)?notfound$/.test(normalizeStatus(word));
}

/** Whether the word may describe the HTTP call, as in `{"status":"success","data":{…}}`, or is a number. */
export function isCallStatus(word: string): boolean {
  return /^\d+$|^(ok|success|successful|true)$/.test(normalizeStatus(word));
}

/** Whether the word may describe the end of a call to this gateway or to its upstream. */
export function isEndOfCall(word: string): boolean {
  return isCallStatus(word) || classifyStatus(word) === 'completed';
}

/** Whether the word is ambiguous: ready to run or to download; ended with or without a failure. */
export function isReadyStatus(word: string): boolean {
  return /^(ready|ended|available)$/.test(normalizeStatus(word));
}

/** Whether the word may also describe a file or an account. */
export function isAmbiguousStatus(word: string): boolean {
  return /^(active|ready|new|created|accepted|received)$/.test(normalizeStatus(word));
}

/** Longer words are not a status. */
const maxStatusLength = 200;

function normalizeStatus(word: string): string {
  const lower = normalizeWord(word);
  const [prefix = ''] = /^[a-z\d_.:/\s-]*(?:state|status)[_.:/\s-]+/.exec(lower) ?? [];
  const bare = misleadingWords.test(prefix) ? lower : lower.slice(prefix.length);
  return bare.replace(/[\s_()-]|[.。!！]$/g, '');
}

function normalizeWord(word: string): string {
  return word
    .slice(0, maxStatusLength)
    .normalize('NFC')
    .trim()
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase();
}
