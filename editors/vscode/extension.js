"use strict";

const { spawn } = require("child_process");
const fs = require("fs");
const path = require("path");
const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

const PATTERN = "**/*.{yaml,yml,csv,jsonl,json,sqlite}";
let client;

/** The interpreter that has planspec: the setting, that of the Python extension, the folder's own, or `python3`. */
async function interpreter() {
  const chosen = vscode.workspace.getConfiguration("planspec").get("interpreter");
  if (chosen) {
    return chosen.replace(/^\$\{workspaceFolder\}/, folder() ?? "");
  }
  const python = vscode.extensions.getExtension("ms-python.python");
  if (python) {
    try {
      const api = python.isActive ? python.exports : await python.activate();
      const active = api.environments?.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri);
      const found = active && (await api.environments.resolveEnvironment(active));
      const executable = found?.executable?.uri?.fsPath;
      if (executable) {
        return executable;
      }
    } catch (error) {
      console.warn("planspec: the Python extension names no interpreter", error);
    }
  }
  const own = folder() && path.join(folder(), ".venv", "bin", "python");
  return own && fs.existsSync(own) ? own : "python3";
}

function folder() {
  return vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
}

async function start() {
  const settings = vscode.workspace.getConfiguration("planspec");
  const command = await interpreter();
  const run = { command, args: ["-m", "planspec", "server"], transport: TransportKind.stdio, options: { cwd: folder() } };
  const watcher = vscode.workspace.createFileSystemWatcher(PATTERN);
  client = new LanguageClient(
    "planspec",
    "planspec",
    { run, debug: run },
    {
      documentSelector: [{ language: "planspec" }, { language: "yaml", pattern: "**/*.{yaml,yml}" }],
      initializationOptions: { proofs: settings.get("proofs"), seconds: settings.get("seconds") },
      synchronize: { fileEvents: watcher },
    },
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const text = `planspec's server does not start with ${command}: install it there with  pip install 'planspec[lsp,solve]'`;
    const choice = await vscode.window.showErrorMessage(text, "Open settings");
    if (choice) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "planspec.interpreter");
    }
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

/** Let the server do a command's work on the task that is open in front. */
async function workOnActive(command) {
  const document = vscode.window.activeTextEditor?.document;
  if (!client || !document) {
    return;
  }
  const uri = client.code2ProtocolConverter.asUri(document.uri);
  const progress = { location: vscode.ProgressLocation.Window, title: "planspec" };
  await vscode.window.withProgress(progress, () =>
    client.sendRequest("workspace/executeCommand", { command, arguments: [{ uri }] }),
  );
}

/** Show the saved task that is open in front beside its text, as `planspec play` draws it; it follows the files as they are saved. */
async function showPanel() {
  const document = vscode.window.activeTextEditor?.document;
  if (!document) {
    return;
  }
  const command = await interpreter();
  const process_ = spawn(command, ["-m", "planspec", "play", document.uri.fsPath], { cwd: folder(), stdio: ["ignore", "ignore", "pipe"] });
  let address;
  try {
    address = await addressOf(process_);
  } catch (error) {
    vscode.window.showErrorMessage(`planspec: ${error.message}`);
    return;
  }
  const place = (await vscode.env.asExternalUri(vscode.Uri.parse(address))).toString(true);
  const panel = vscode.window.createWebviewPanel("planspec.panel", `${path.basename(document.uri.fsPath)} (panel)`, vscode.ViewColumn.Beside, { enableScripts: true, retainContextWhenHidden: true });
  panel.webview.html = panelPage(place);
  panel.onDidDispose(() => process_.kill());
  process_.on("exit", () => panel.dispose());
}

/** The address that `planspec play` prints; what it says instead, if it ends. */
function addressOf(process_) {
  return new Promise((found, failed) => {
    let said = "";
    process_.on("error", failed);
    process_.on("exit", () => failed(new Error(said.trim() || "planspec play has ended")));
    process_.stderr.on("data", (data) => {
      said += data;
      const address = /http:\/\/\S+/.exec(said);
      if (address) {
        found(address[0]);
      }
    });
  });
}

/** A page that holds nothing but the panel's own. */
function panelPage(address) {
  const place = address.replace(/&/g, "&amp;").replace(/"/g, "&quot;");
  const origin = new URL(address).origin;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; frame-src ${origin}; style-src 'unsafe-inline'">
<style>html, body, iframe { margin: 0; padding: 0; width: 100%; height: 100%; border: 0; }</style>
</head>
<body><iframe src="${place}" title="planspec"></iframe></body>
</html>`;
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("planspec.restart", async () => {
      await stop();
      await start();
    }),
    vscode.commands.registerCommand("planspec.showPanel", showPanel),
    vscode.commands.registerCommand("planspec.tightenHere", () => workOnActive("planspec.tighten")),
    vscode.commands.registerCommand("planspec.repairHere", () => workOnActive("planspec.repairReference")),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("planspec")) {
        await stop();
        await start();
      }
    }),
  );
  await start();
}

module.exports = { activate, addressOf, deactivate: stop, panelPage };
