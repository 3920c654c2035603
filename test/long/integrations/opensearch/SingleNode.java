import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.opensearch.common.settings.Settings;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.transport.Netty4Plugin;

/** One OpenSearch node for tests: HTTP on the port of the first argument, data in the directory of the second. */
public final class SingleNode extends Node {
  private SingleNode(Settings settings) {
    super(InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> "single"), List.of(Netty4Plugin.class), false);
  }

  public static void main(String[] args) throws Exception {
    Path home = Path.of(args[1]);
    Settings settings = Settings.builder()
        .put("path.home", home.toString())
        .put("cluster.name", "tests").put("node.name", "single").put("discovery.type", "single-node")
        .put("http.port", args[0]).put("network.host", "127.0.0.1").put("transport.port", "0")
        .put("http.type", "netty4").put("transport.type", "netty4")
        .put("cluster.routing.allocation.disk.threshold_enabled", false)
        .build();
    Node node = new SingleNode(settings).start();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> { try { node.close(); } catch (Exception e) { e.printStackTrace(); } }));
    System.out.println("ready");
    Thread.currentThread().join();
  }
}
