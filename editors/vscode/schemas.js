"use strict";

// The schemas of documents are planspec's own; a package has copies of them.
const fs = require("fs");
const path = require("path");

const from = path.join(__dirname, "..", "..", "dsl", "editing", "schemas");
const to = path.join(__dirname, "schemas");
fs.mkdirSync(to, { recursive: true });
for (const kind of ["library", "world", "task", "suite", "wording"]) {
  fs.copyFileSync(path.join(from, `${kind}.schema.json`), path.join(to, `${kind}.schema.json`));
}
