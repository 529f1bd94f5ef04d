
"use strict";
(() => {
  const form = document.getElementById("survey");
  const worker = document.getElementById("worker");
  const state = document.getElementById("state");
  const answers = document.getElementById("answers");
  const download = document.getElementById("download");
  const items = Array.from(form.querySelectorAll("[data-item]"), (element) => element.dataset.item);

  const asked = new URLSearchParams(location.search);
  worker.value = asked.get("workerId") || asked.get("PROLIFIC_PID") || "";

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!form.reportValidity()) return;
    const given = new FormData(form);
    const row = items.map((item) => given.get(item) || "");
    const answered = row.filter((answer) => answer !== "").length;
    // Ids, groups and ratings hold neither commas nor quotes, and the pattern keeps them out of the worker's name.
    const text = ["worker", ...items].join(",") + "\r\n" + [worker.value, ...row].join(",") + "\r\n";
    URL.revokeObjectURL(download.href);
    download.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    download.download = `${form.dataset.survey}-${form.dataset.task}-${worker.value}.csv`;
    answers.value = text;
    document.getElementById("done").hidden = false;
    state.textContent = `${answered} of ${items.length} answered. Download the file, or copy the text below.`;
    state.focus();
  });
})();
