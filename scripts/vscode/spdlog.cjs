// Replaces `@vscode/spdlog`, VS Code's native log writer, which is not compiled here. Without it every log file
// and every log output channel of the server would stay empty.
const { appendFileSync, mkdirSync } = require('node:fs');
const { dirname } = require('node:path');

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'critical'];

class Logger {
  #path;
  #level = 0;
  #bare = false;

  constructor(_type, _name, path) {
    this.#path = path;
    mkdirSync(dirname(path), { recursive: true });
  }

  getLevel() {
    return this.#level;
  }

  setLevel(level) {
    this.#level = level;
  }

  setPattern() {
    this.#bare = false;
  }

  clearFormatters() {
    this.#bare = true;
  }

  write(level, message) {
    if (level < this.#level) return;
    const time = new Date().toISOString().replace('T', ' ').replace('Z', '');
    appendFileSync(this.#path, this.#bare ? message : `${time} [${levels[level]}] ${message}\n`);
  }

  flush() {}

  drop() {}
}

for (const [level, name] of levels.entries()) {
  Logger.prototype[name] = function log(message) {
    this.write(level, message);
  };
}

exports.version = 0;
exports.Logger = Logger;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.createRotatingLogger = async (name, path) => new Logger('rotating', name, path);
exports.createAsyncRotatingLogger = async (name, path) => new Logger('rotating_async', name, path);
