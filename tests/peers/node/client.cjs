// Runs one Kafka client of Node for tests: calls come in as JSON lines, answers go out as JSON lines.
//
//     node client.cjs NODE_MODULES LIBRARY HOST:PORT
//
// A call is [method, argument, ...]; what methods there are is the library's own matter:
//   kafkajs      those of its admin client
//   kafka-ts     names of its API objects, sent to the seed broker; "name@900" goes to node 900
//   platformatic its raw functions, on a bare connection; "admin.name" are those of its Admin
// An answer is {"answer": value} or {"error": {...}} with what the error tells about itself.

const path = require("node:path");
const readline = require("node:readline");
const { pathToFileURL } = require("node:url");

const [modules, library, bootstrap] = process.argv.slice(2);
const [host, port] = bootstrap.split(":");
const moduleAt = (...parts) => path.join(modules, ...parts);

const libraries = {
  async kafkajs() {
    process.env.KAFKAJS_NO_PARTITIONER_WARNING = "1";
    const { Kafka, logLevel } = require(moduleAt("kafkajs"));
    const kafka = new Kafka({ clientId: "kafkajs", brokers: [bootstrap], logLevel: logLevel.NOTHING });
    const admin = kafka.admin();
    await admin.connect();
    return {
      call: (method, ...given) => admin[method](...given),
      close: () => admin.disconnect(),
    };
  },

  async "kafka-ts"() {
    const { API, createKafkaClient, setLogger } = require(moduleAt("kafka-ts"));
    const silent = () => {};
    setLogger({ debug: silent, info: silent, warn: silent, error: silent });
    const servers = [{ host, port: Number(port) }];
    const client = createKafkaClient({ clientId: "kafka-ts", bootstrapServers: servers });
    const cluster = client.createCluster();
    await cluster.connect();
    return {
      call(method, given) {
        const [name, node] = method.split("@");
        if (node === undefined) return cluster.sendRequest(API[name], given);
        return cluster.sendRequestToNode(Number(node))(API[name], given);
      },
      close: () => cluster.disconnect(),
    };
  },

  async platformatic() {
    // All that it needs of Node 22 and Node 20 has not.
    Promise.withResolvers ??= function () {
      const found = {};
      found.promise = new Promise((resolve, reject) => Object.assign(found, { resolve, reject }));
      return found;
    };
    const entry = pathToFileURL(moduleAt("@platformatic", "kafka", "dist", "index.js"));
    const kafka = await import(entry.href);
    const connection = new kafka.Connection("platformatic");
    await connection.connect(host, Number(port));
    const admin = new kafka.Admin({ clientId: "platformatic", bootstrapBrokers: [bootstrap] });
    return {
      call(method, ...given) {
        const [head, name] = method.split(".");
        return name === undefined ? kafka[head].api.async(connection, ...given) : admin[name](...given);
      },
      async close() {
        await admin.close();
        await connection.close();
      },
    };
  },
};

const plain = (_, value) => {
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Map) return Object.fromEntries(value);
  return value;
};

const told = (error) => ({
  name: error.constructor.name,
  message: error.message,
  type: error.type,
  code: error.code ?? error.errorCode,
  topic: error.topic,
  partition: error.partition,
  errors: error.errors?.map(told),
});

const say = (answer) => process.stdout.write(JSON.stringify(answer, plain) + "\n");

async function main() {
  const client = await libraries[library]();
  for await (const line of readline.createInterface({ input: process.stdin })) {
    try {
      say({ answer: (await client.call(...JSON.parse(line))) ?? null });
    } catch (error) {
      say({ error: told(error) });
    }
  }
  await client.close();
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
