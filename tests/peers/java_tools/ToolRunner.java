import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.kafka.common.utils.Exit;

/**
 * Runs Kafka's command line tools one after the other, so that many runs share one start of Java.
 *
 * <p>Each line of standard input is {"main": class, "arguments": [..]}, each line of standard
 * output {"status": n, "out": text, "err": text}. A tool ends by returning, by an exception or by
 * Kafka's Exit, which every tool uses instead of System.exit; what it does after that, on its way
 * out, is not recorded. The program ends when its input does.
 */
public final class ToolRunner {
    /** Leaves a tool where a process would have ended. */
    private static final class Ended extends Error {
        private static final long serialVersionUID = 1;
    }

    /** What is written goes to the run of the moment; Scala's Console keeps the first stream. */
    private static final class Recorded extends OutputStream {
        private ByteArrayOutputStream target = new ByteArrayOutputStream();

        @Override
        public synchronized void write(int octet) {
            target.write(octet);
        }

        @Override
        public synchronized void write(byte[] bytes, int start, int length) {
            target.write(bytes, start, length);
        }

        synchronized String take() {
            String text = target.toString(StandardCharsets.UTF_8);
            target = new ByteArrayOutputStream();
            return text;
        }
    }

    private record Result(int status, String out, String err) {}

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Recorded out = new Recorded();
    private final Recorded err = new Recorded();
    private volatile Result result;

    public static void main(String[] arguments) throws IOException {
        PrintStream answers = System.out;
        var runner = new ToolRunner();
        System.setOut(new PrintStream(runner.out, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(runner.err, true, StandardCharsets.UTF_8));
        Exit.setExitProcedure((status, message) -> runner.exit(status));
        Exit.setHaltProcedure((status, message) -> runner.exit(status));
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String line;
        while ((line = input.readLine()) != null) {
            Result found = runner.run(JSON.readTree(line));
            answers.println(JSON.writeValueAsString(
                Map.of("status", found.status, "out", found.out, "err", found.err)));
            answers.flush();
        }
        // A tool may have left threads behind that are no daemons.
        Runtime.getRuntime().halt(0);
    }

    private Result run(JsonNode question) {
        String[] arguments = JSON.convertValue(question.get("arguments"), String[].class);
        result = null;
        out.take();
        err.take();
        try {
            Class.forName(question.get("main").asText())
                .getMethod("main", String[].class)
                .invoke(null, (Object) arguments);
            end(0);
        } catch (InvocationTargetException failure) {
            if (!(failure.getCause() instanceof Ended)) {
                failure.getCause().printStackTrace();
            }
            end(1);
        } catch (ReflectiveOperationException failure) {
            failure.printStackTrace();
            end(1);
        }
        return result;
    }

    private void exit(int status) {
        end(status);
        throw new Ended();
    }

    private synchronized void end(int status) {
        if (result == null) {
            result = new Result(status, out.take(), err.take());
        }
    }
}
