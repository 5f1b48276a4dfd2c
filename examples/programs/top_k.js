require("readline").createInterface({ input: process.stdin }).on("line", line => {
  const [values, k] = JSON.parse(line);
  console.log(JSON.stringify(values.sort((a, b) => b - a).slice(0, k)));
});
